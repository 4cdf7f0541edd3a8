package clients

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/to"
	"github.com/Azure/azure-sdk-for-go/sdk/data/aztables"
)

// access says how a client reaches the service. The zero value is the account key over HTTP.
type access struct {
	endpoint  string // the variable that holds it
	key       string
	signature string
	token     string
	untrusted bool
}

// connection calls the package.
type connection struct{ service *aztables.ServiceClient }

// client has the account key, over HTTP.
var client connection

var ctx = context.Background()

type token string

func (t token) GetToken(context.Context, policy.TokenRequestOptions) (azcore.AccessToken, error) {
	return azcore.AccessToken{Token: string(t), ExpiresOn: time.Now().Add(time.Hour)}, nil
}

func options(a access) *aztables.ClientOptions {
	roots := x509.NewCertPool()
	if !a.untrusted {
		certificate, err := os.ReadFile(os.Getenv("TABLES_CERTIFICATE"))
		must(err)
		roots.AppendCertsFromPEM(certificate)
	}
	transport := &http.Transport{
		TLSClientConfig: &tls.Config{RootCAs: roots},
		// Not every resolver knows the names below localhost.
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			_, port, err := net.SplitHostPort(address)
			if err != nil {
				return nil, err
			}
			return (&net.Dialer{}).DialContext(ctx, network, "127.0.0.1:"+port)
		},
	}
	core := policy.ClientOptions{Retry: policy.RetryOptions{MaxRetries: -1}, Transport: &http.Client{Transport: transport}}
	return &aztables.ClientOptions{ClientOptions: core}
}

func credential(key string) *aztables.SharedKeyCredential {
	if key == "" {
		key = os.Getenv("TABLES_KEY")
	}
	made, err := aztables.NewSharedKeyCredential(os.Getenv("TABLES_ACCOUNT"), key)
	must(err)
	return made
}

func open(a access) connection {
	if a.endpoint == "" {
		a.endpoint = "TABLES_ENDPOINT"
	}
	endpoint := os.Getenv(a.endpoint)
	var service *aztables.ServiceClient
	var err error
	switch {
	case strings.HasSuffix(a.endpoint, "CONNECTION_STRING"):
		service, err = aztables.NewServiceClientFromConnectionString(endpoint, options(a))
	case a.token != "":
		service, err = aztables.NewServiceClient(endpoint, token(a.token), options(a))
	case a.signature != "":
		service, err = aztables.NewServiceClientWithNoCredential(endpoint+"?"+a.signature, options(a))
	default:
		service, err = aztables.NewServiceClientWithSharedKey(endpoint, credential(a.key), options(a))
	}
	must(err)
	return connection{service}
}

var (
	innerStatus = regexp.MustCompile(`HTTP/1\.1 (\d{3})`)
	innerCode   = regexp.MustCompile(`"code": ?"(\w+)"`)
	innerIndex  = regexp.MustCompile(`"value": ?"(\d+):`)
)

// asRejection turns an error of the package into a rejection. The package leaves the parts of a transaction in the text.
func asRejection(err error) error {
	var answer *azcore.ResponseError
	if !errors.As(err, &answer) {
		return err
	}
	got := rejection{answer.StatusCode, answer.ErrorCode, -1, answer.Error()}
	if found := innerCode.FindStringSubmatch(got.text); found != nil {
		got.code = found[1]
	}
	if found := innerStatus.FindStringSubmatch(got.text); found != nil && got.status == http.StatusAccepted {
		got.status, _ = strconv.Atoi(found[1])
	}
	if found := innerIndex.FindStringSubmatch(got.text); found != nil {
		got.index, _ = strconv.Atoi(found[1])
	}
	return got
}

// encode writes an entity as the JSON that the package takes.
func encode(e entity) []byte {
	object := map[string]any{"PartitionKey": e.partition, "RowKey": e.row}
	for name, one := range e.properties {
		switch one.kind {
		case "String":
			object[name] = one.text
		case "Boolean":
			object[name] = one.text == "true"
		case "Int32":
			object[name] = json.Number(one.text)
		default:
			object[name] = one.text
			object[name+"@odata.type"] = "Edm." + one.kind
		}
	}
	text, err := json.Marshal(object)
	must(err)
	return text
}

// decode reads the JSON that the package returns. Doubles always have a fraction or an exponent.
func decode(text []byte) entity {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	object := map[string]any{}
	must(decoder.Decode(&object))
	found := keys("", "")
	for name, raw := range object {
		annotated, _ := object[name+"@odata.type"].(string)
		one := value{strings.TrimPrefix(annotated, "Edm."), ""}
		switch native := raw.(type) {
		case bool:
			one = value{"Boolean", strconv.FormatBool(native)}
		case json.Number:
			one = value{"Int32", native.String()}
			if strings.ContainsAny(native.String(), ".eE") {
				one.kind = "Double"
			}
		case string:
			one.text = native
			if annotated == "" {
				one.kind = "String"
			}
		}
		switch {
		case name == "PartitionKey":
			found.partition = one.text
		case name == "RowKey":
			found.row = one.text
		case name == "odata.etag":
			found.tag = one.text
		case name == "Timestamp":
			found.timestamp, _ = time.Parse(time.RFC3339Nano, one.text)
		case !strings.Contains(name, "odata."):
			found.properties[name] = one
		}
	}
	return found
}

func (c connection) of(table string) *aztables.Client { return c.service.NewClient(table) }

func (c connection) createTable(table string) error {
	_, err := c.service.CreateTable(ctx, table, nil)
	return asRejection(err)
}

func (c connection) deleteTable(table string) error {
	_, err := c.service.DeleteTable(ctx, table, nil)
	return asRejection(err)
}

func (c connection) tablePages(filter string, size int32) ([][]string, error) {
	asked := &aztables.ListTablesOptions{}
	if filter != "" {
		asked.Filter = &filter
	}
	if size > 0 {
		asked.Top = &size
	}
	var pages [][]string
	for pager := c.service.NewListTablesPager(asked); pager.More(); {
		page, err := pager.NextPage(ctx)
		if err != nil {
			return nil, asRejection(err)
		}
		var names []string
		for _, table := range page.Tables {
			names = append(names, *table.Name)
		}
		pages = append(pages, names)
	}
	return pages, nil
}

func (c connection) insert(table string, e entity) (string, error) {
	answer, err := c.of(table).AddEntity(ctx, encode(e), nil)
	return string(answer.ETag), asRejection(err)
}

func (c connection) get(table, partition, row string) (entity, error) {
	answer, err := c.of(table).GetEntity(ctx, partition, row, nil)
	if err != nil {
		return entity{}, asRejection(err)
	}
	return decode(answer.Value), nil
}

func tagOf(tag string) *azcore.ETag {
	if tag == "" {
		return nil
	}
	return to.Ptr(azcore.ETag(tag))
}

func (c connection) update(table string, e entity, mode aztables.UpdateMode, tag string) (string, error) {
	options := &aztables.UpdateEntityOptions{UpdateMode: mode, IfMatch: tagOf(tag)}
	answer, err := c.of(table).UpdateEntity(ctx, encode(e), options)
	return string(answer.ETag), asRejection(err)
}

func (c connection) upsert(table string, e entity, mode aztables.UpdateMode) (string, error) {
	answer, err := c.of(table).UpsertEntity(ctx, encode(e), &aztables.UpsertEntityOptions{UpdateMode: mode})
	return string(answer.ETag), asRejection(err)
}

func (c connection) remove(table, partition, row, tag string) error {
	_, err := c.of(table).DeleteEntity(ctx, partition, row, &aztables.DeleteEntityOptions{IfMatch: tagOf(tag)})
	return asRejection(err)
}

// query says what a list asks for.
type query struct {
	filter, selected string
	size             int32
	from             *aztables.ListEntitiesResponse
}

// pages returns the pages of a query, at most `most` if it is not 0, and the last answer.
func (c connection) pages(table string, q query, most int) ([][]entity, aztables.ListEntitiesResponse, error) {
	asked := &aztables.ListEntitiesOptions{}
	if q.filter != "" {
		asked.Filter = &q.filter
	}
	if q.selected != "" {
		asked.Select = &q.selected
	}
	if q.size > 0 {
		asked.Top = &q.size
	}
	if q.from != nil {
		asked.NextPartitionKey, asked.NextRowKey = q.from.NextPartitionKey, q.from.NextRowKey
	}
	var pages [][]entity
	var last aztables.ListEntitiesResponse
	for pager := c.of(table).NewListEntitiesPager(asked); pager.More() && (most == 0 || len(pages) < most); {
		page, err := pager.NextPage(ctx)
		if err != nil {
			return nil, page, asRejection(err)
		}
		var rows []entity
		for _, text := range page.Entities {
			rows = append(rows, decode(text))
		}
		pages, last = append(pages, rows), page
	}
	return pages, last, nil
}

func (c connection) list(table, filter string) ([]entity, error) {
	pages, _, err := c.pages(table, query{filter: filter}, 0)
	var rows []entity
	for _, page := range pages {
		rows = append(rows, page...)
	}
	return rows, err
}

// action is one operation of a transaction.
type action struct {
	kind aztables.TransactionType
	entity
	tag string
}

func (c connection) transaction(table string, actions []action) error {
	var sent []aztables.TransactionAction
	for _, one := range actions {
		sent = append(sent, aztables.TransactionAction{ActionType: one.kind, Entity: encode(one.entity), IfMatch: tagOf(one.tag)})
	}
	_, err := c.of(table).SubmitTransaction(ctx, sent, nil)
	return asRejection(err)
}

// sign returns the shared access signature of a table.
func sign(v aztables.SASSignatureValues) string {
	if v.ExpiryTime.IsZero() && v.Identifier == "" {
		v.ExpiryTime = inHours(1)
	}
	signature, err := v.Sign(credential(""))
	must(err)
	return signature
}

// signAccount returns the shared access signature of the account.
func signAccount(types, permissions string) string {
	v := aztables.AccountSASSignatureValues{
		Services: "t", ResourceTypes: types, Permissions: permissions, ExpiryTime: inHours(1), Protocol: aztables.SASProtocolHTTPSandHTTP,
	}
	signature, err := v.Sign(credential(""))
	must(err)
	return signature.Encode()
}

func inHours(count int) time.Time {
	return time.Now().UTC().Add(time.Duration(count) * time.Hour).Truncate(time.Second)
}

var wrongKey = base64.StdEncoding.EncodeToString([]byte("another key"))
