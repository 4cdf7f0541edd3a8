// Adds a person to the table "people", then prints the table:
//
//	go get github.com/Azure/azure-sdk-for-go/sdk/data/aztables && go run people.go Edsger 1930
//
// The client takes no UseDevelopmentStorage=true. Set AZURE_STORAGE_CONNECTION_STRING to what
// `tabularium connection-string` prints.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"strconv"

	"github.com/Azure/azure-sdk-for-go/sdk/data/aztables"
)

type person struct {
	PartitionKey, RowKey string
	Born                 int `json:"born"`
}

func main() {
	born, err := strconv.Atoi(os.Args[2])
	check(err)
	entity, err := json.Marshal(person{"people", os.Args[1], born})
	check(err)

	service, err := aztables.NewServiceClientFromConnectionString(os.Getenv("AZURE_STORAGE_CONNECTION_STRING"), nil)
	check(err)
	table := service.NewClient("people")
	_, _ = table.CreateTable(context.Background(), nil) // fails if the table exists
	_, err = table.UpsertEntity(context.Background(), entity, nil)
	check(err)

	for pager := table.NewListEntitiesPager(nil); pager.More(); {
		page, err := pager.NextPage(context.Background())
		check(err)
		for _, text := range page.Entities {
			var found person
			check(json.Unmarshal(text, &found))
			fmt.Printf("%s, born %d\n", found.RowKey, found.Born)
		}
	}
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
