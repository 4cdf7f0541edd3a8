// The unmodified clients with DefaultAzureCredential. The endpoint and everything else comes from the environment.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/azidentity"
	"github.com/Azure/azure-sdk-for-go/sdk/data/aztables"
)

const rejected = "AuthorizationPermissionMismatch"

func entity(row string) []byte {
	bytes, err := json.Marshal(aztables.EDMEntity{Entity: aztables.Entity{PartitionKey: "p", RowKey: row}})
	if err != nil {
		panic(err)
	}
	return bytes
}

func step(name string, run func() error) {
	err := run()
	var failure *azcore.ResponseError
	switch {
	case err == nil:
		fmt.Println(name, "ok")
	case strings.Contains(err.Error(), rejected):
		// For a part of a transaction, the client tells the status of the whole.
		fmt.Println(name, 403, rejected)
	case errors.As(err, &failure):
		fmt.Println(name, failure.StatusCode, failure.ErrorCode)
	default:
		fmt.Println(name, err)
	}
}

func main() {
	ctx := context.Background()
	credential, err := azidentity.NewDefaultAzureCredential(nil)
	if err != nil {
		panic(err)
	}
	options := &aztables.ClientOptions{ClientOptions: policy.ClientOptions{Retry: policy.RetryOptions{MaxRetries: -1}}}
	service, err := aztables.NewServiceClient(os.Getenv("AZURE_TABLES_ENDPOINT"), credential, options)
	if err != nil {
		panic(err)
	}
	people := service.NewClient("People")
	step("create-table", func() error { _, err := service.NewClient("Created").CreateTable(ctx, nil); return err })
	step("insert", func() error { _, err := people.AddEntity(ctx, entity("inserted"), nil); return err })
	step("upsert", func() error { _, err := people.UpsertEntity(ctx, entity("upserted"), nil); return err })
	step("transaction", func() error {
		var actions []aztables.TransactionAction
		for _, row := range []string{"first", "second"} {
			actions = append(actions, aztables.TransactionAction{ActionType: aztables.TransactionTypeAdd, Entity: entity(row)})
		}
		_, err := people.SubmitTransaction(ctx, actions, nil)
		return err
	})
	step("list", func() error {
		for pager := people.NewListEntitiesPager(nil); pager.More(); {
			page, err := pager.NextPage(ctx)
			if err != nil {
				return err
			}
			if len(page.Entities) == 0 {
				return errors.New("the entity is missing")
			}
		}
		return nil
	})
}
