package fruit

import (
	"encoding/json"
	"testing"

	"github.com/Azure/azure-sdk-for-go/sdk/data/aztables"
	"github.com/testcontainers/testcontainers-go"
	"github.com/testcontainers/testcontainers-go/modules/azure/azurite"
)

type fruit struct{ PartitionKey, RowKey, Color string }

func TestReadsWhatItWrote(t *testing.T) {
	ctx := t.Context()
	storage, err := azurite.Run(ctx, "tabularium:full")
	testcontainers.CleanupContainer(t, storage)
	if err != nil {
		t.Fatal(err)
	}
	url, err := storage.TableServiceURL(ctx)
	if err != nil {
		t.Fatal(err)
	}
	credential, err := aztables.NewSharedKeyCredential(azurite.AccountName, azurite.AccountKey)
	if err != nil {
		t.Fatal(err)
	}
	service, err := aztables.NewServiceClientWithSharedKey(url+"/"+azurite.AccountName, credential, nil)
	if err != nil {
		t.Fatal(err)
	}
	table := service.NewClient("Fruit")
	if _, err := table.CreateTable(ctx, nil); err != nil {
		t.Fatal(err)
	}
	lemon, err := json.Marshal(fruit{"citrus", "lemon", "yellow"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := table.AddEntity(ctx, lemon, nil); err != nil {
		t.Fatal(err)
	}
	answer, err := table.GetEntity(ctx, "citrus", "lemon", nil)
	if err != nil {
		t.Fatal(err)
	}
	var found fruit
	if err := json.Unmarshal(answer.Value, &found); err != nil || found.Color != "yellow" {
		t.Fatal(found, err)
	}
}
