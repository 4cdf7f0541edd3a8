package tabulariumtest

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// startMax is how long a start may take, and endMax an end.
const startMax, endMax = 30 * time.Second, 5 * time.Second

// openServer starts a server, or connects to the one that TABULARIUM_URL names.
func openServer() (*Server, error) {
	server := &Server{URL: os.Getenv("TABULARIUM_URL"), token: os.Getenv("TABULARIUM_ADMIN_TOKEN")}
	server.ConnectionString = os.Getenv("TABULARIUM_CONNECTION_STRING")
	if Program != "" || server.URL == "" {
		words, err := findProgram()
		if err != nil {
			return nil, err
		}
		if server, err = startServer(words); err != nil {
			return nil, err
		}
	}
	server.URL = strings.TrimRight(server.URL, "/")
	var info struct{ ConnectionString string }
	err := server.ask("GET", "info", nil, &info)
	if server.ConnectionString == "" {
		server.ConnectionString = info.ConnectionString
	}
	return server, err
}

// findProgram returns the words that start the server. It downloads nothing.
func findProgram() ([]string, error) {
	named, by := Program, "Program"
	if named == "" {
		named, by = os.Getenv("TABULARIUM_PROGRAM"), "TABULARIUM_PROGRAM"
	}
	if named != "" && !isFile(named) {
		return nil, fmt.Errorf("%s is %s, which is not a file.", by, named)
	}
	// Tests run in the folder of their package.
	for folder, _ := os.Getwd(); named == ""; folder = filepath.Dir(folder) {
		if file := filepath.Join(folder, "node_modules", "tabularium", "dist", "main.js"); isFile(file) {
			named = file
		}
		if folder == filepath.Dir(folder) {
			break
		}
	}
	if named == "" {
		named, _ = exec.LookPath("tabularium")
	}
	if named == "" {
		return nil, errors.New("There is no Tabularium. Run 'npm install --save-dev tabularium' in a folder above the tests, or put the standalone " +
			"binary on the PATH, or name it or a main.js in TABULARIUM_PROGRAM, or name a running server in TABULARIUM_URL.")
	}
	if extension := filepath.Ext(named); extension != ".js" && extension != ".mjs" && extension != ".cjs" {
		return []string{named}, nil
	}
	node, err := exec.LookPath("node")
	if err != nil {
		return nil, fmt.Errorf("%s needs Node.js 20.19 or later, and there is no 'node' on the PATH. The standalone binary needs none.", named)
	}
	return []string{node, named}, nil
}

func isFile(path string) bool {
	found, err := os.Stat(path)
	return err == nil && found.Mode().IsRegular()
}

// startServer starts a server that ends when its standard input does: the system closes that when this process ends, however it ends.
func startServer(words []string) (*Server, error) {
	words = append(words, "start", "--inMemoryPersistence", "--tablePort", "0", "--silent", "--endWithStdin", "--ready", "json")
	words = append(words, Arguments...)
	command := exec.Command(words[0], words[1:]...)
	// Settings of the developer's own server, such as a port or a database, are not meant for this one.
	for _, variable := range os.Environ() {
		if !strings.HasPrefix(strings.ToUpper(variable), "TABULARIUM_") {
			command.Env = append(command.Env, variable)
		}
	}
	var failures bytes.Buffer
	command.Stderr = &failures
	// A process that the program leaves behind may keep this pipe open.
	command.WaitDelay = endMax
	output, noOutput := command.StdoutPipe()
	input, noInput := command.StdinPipe()
	if err := errors.Join(noOutput, noInput, command.Start()); err != nil {
		return nil, fmt.Errorf("%s cannot be run: %w", words[0], err)
	}
	lines := make(chan string, 1)
	go func() {
		line, _ := bufio.NewReader(output).ReadString('\n')
		lines <- line
		// Nobody reads later lines, but a full pipe would stop the server.
		io.Copy(io.Discard, output)
	}()
	var ready struct {
		Ready                                    bool
		URL, ConnectionString, AdminToken, Error string
	}
	why := "ended before it was ready.\n"
	select {
	case line := <-lines:
		if json.Unmarshal([]byte(line), &ready) == nil && ready.Ready {
			return &Server{URL: ready.URL, ConnectionString: ready.ConnectionString, token: ready.AdminToken, input: input}, nil
		}
	case <-time.After(startMax):
		why = fmt.Sprintf("was not ready within %.0f seconds.\n", startMax.Seconds())
	}
	input.Close()
	late := time.AfterFunc(endMax, func() { command.Process.Kill() })
	command.Wait()
	late.Stop()
	if ready.Error != "" {
		return nil, fmt.Errorf("%s did not start: %s", strings.Join(words, " "), ready.Error)
	}
	return nil, fmt.Errorf("%s %s%s", strings.Join(words, " "), why, failures.String())
}

// body is the content of a control call.
type body map[string]any

// failedCall is a call that the server has rejected.
type failedCall struct {
	status int
	text   string
}

func (failed failedCall) Error() string { return failed.text }

func isMissing(err error) bool {
	var failed failedCall
	return errors.As(err, &failed) && failed.status == http.StatusNotFound
}

// A proxy that the environment names is not for a server on this machine.
var client = &http.Client{Transport: &http.Transport{Proxy: nil}, Timeout: time.Minute}

// ask sends a control call, and reads its answer: as JSON, or as text into a string.
func (server *Server) ask(method, path string, content body, answer any) error {
	text, _ := json.Marshal(content)
	request, err := http.NewRequest(method, server.URL+"/_tabularium/"+path, bytes.NewReader(text))
	if err != nil {
		return err
	}
	plain, isPlain := answer.(*string)
	if isPlain {
		request.Header.Set("Accept", "text/plain")
	}
	if content == nil {
		request.Body = http.NoBody
	} else {
		request.Header.Set("Content-Type", "application/json")
	}
	if server.token != "" {
		request.Header.Set("Authorization", "Bearer "+server.token)
	}
	response, err := client.Do(request)
	var failed *url.Error
	if errors.As(err, &failed) {
		return fmt.Errorf("There is no server at %s: %w", server.URL, failed.Err)
	}
	defer response.Body.Close()
	if response.Header.Get("x-tabularium") == "" {
		return fmt.Errorf("The server at %s is not Tabularium: status %d.", server.URL, response.StatusCode)
	}
	if text, err = io.ReadAll(response.Body); err != nil {
		return err
	}
	if response.StatusCode >= 400 {
		return failedCall{response.StatusCode, fmt.Sprintf("%s %s answers %d: %s", method, request.URL, response.StatusCode, bytes.TrimSpace(text))}
	}
	if isPlain {
		*plain = strings.TrimSpace(string(text))
		return nil
	}
	if answer == nil {
		return nil
	}
	return json.Unmarshal(text, answer)
}
