// go get github.com/testcontainers/testcontainers-go/modules/azure github.com/Azure/azure-sdk-for-go/sdk/data/aztables
package fruit

import (
	"testing"

	"github.com/Azure/azure-sdk-for-go/sdk/data/aztables"
	"github.com/testcontainers/testcontainers-go"
	"github.com/testcontainers/testcontainers-go/modules/azure/azurite"
)

func TestFruit(t *testing.T) {
	ctx := t.Context()
	storage, err := azurite.Run(ctx, "tabularium:full", azurite.WithInMemoryPersistence(64))
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
	tables, err := aztables.NewServiceClientWithSharedKey(url+"/"+azurite.AccountName, credential, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tables.CreateTable(ctx, "Fruit", nil); err != nil {
		t.Fatal(err)
	}
}
