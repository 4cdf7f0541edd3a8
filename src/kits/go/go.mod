module tabulariumtest

go 1.24
