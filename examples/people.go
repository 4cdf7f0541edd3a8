// Adds a person to the table "people", then prints the table:
//
//	go get github.com/Azure/azure-sdk-for-go/sdk/data/aztables && go run people.go Edsger 1930
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

// The client does not know UseDevelopmentStorage=true, which stands for this.
const developmentStorage = "DefaultEndpointsProtocol=http;AccountName=devstoreaccount1;AccountKey=Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==;TableEndpoint=http://127.0.0.1:10002/devstoreaccount1;"

type person struct {
	PartitionKey, RowKey string
	Born                 int `json:"born"`
}

func main() {
	connection := os.Getenv("AZURE_STORAGE_CONNECTION_STRING")
	if connection == "" {
		connection = developmentStorage
	}
	name, born := "Edsger", 1930
	if len(os.Args) > 1 {
		name = os.Args[1]
	}
	if len(os.Args) > 2 {
		year, err := strconv.Atoi(os.Args[2])
		check(err)
		born = year
	}
	entity, err := json.Marshal(person{"people", name, born})
	check(err)

	service, err := aztables.NewServiceClientFromConnectionString(connection, nil)
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
