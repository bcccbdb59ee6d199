package main

import (
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"math"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"
)

const seats = 8

var (
	key, _ = base64.StdEncoding.DecodeString(strings.TrimPrefix(os.Getenv("SECRET"), "whsec_"))
	quire  = cmp.Or(os.Getenv("QUIRE"), "http://127.0.0.1:1337")
	listen = cmp.Or(os.Getenv("LISTEN"), "127.0.0.1:4000")
)

type object = map[string]any

// isSigned reports whether Quire has sent a body, within the last five minutes.
func isSigned(h http.Header, body []byte) bool {
	id, at := h.Get("webhook-id"), h.Get("webhook-timestamp")
	seconds, err := strconv.ParseInt(at, 10, 64)
	if err != nil || math.Abs(time.Since(time.Unix(seconds, 0)).Minutes()) > 5 {
		return false
	}
	mac := hmac.New(sha256.New, key)
	fmt.Fprintf(mac, "%s.%s.%s", id, at, body)
	for _, one := range strings.Fields(h.Get("webhook-signature")) {
		given, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(one, "v1,"))
		if err == nil && hmac.Equal(given, mac.Sum(nil)) {
			return true
		}
	}
	return false
}

// reservation is called before a reservation is created or updated: it refuses large ones,
// and writes names alike.
func reservation(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil || !isSigned(r.Header, body) {
		answer(w, http.StatusUnauthorized, object{"error": "wrong signature"})
		return
	}
	var requested struct{ Data object }
	if err := json.Unmarshal(body, &requested); err != nil {
		answer(w, http.StatusInternalServerError, object{"error": err.Error()})
		return
	}
	if guests, ok := requested.Data["guests"].(float64); ok && guests > seats {
		answer(w, http.StatusBadRequest, object{"error": object{"message": fmt.Sprintf("A table has %d seats", seats), "details": object{"seats": seats}}})
		return
	}
	if name, ok := requested.Data["name"].(string); ok {
		requested.Data["name"] = strings.ToUpper(strings.TrimSpace(name))
	}
	answer(w, http.StatusOK, object{"data": requested.Data})
}

// free answers how many seats are free, for callers who may read reservations.
func free(w http.ResponseWriter, r *http.Request) {
	request, err := http.NewRequestWithContext(r.Context(), http.MethodGet, quire+"/api/reservations?pagination[pageSize]=100", nil)
	if err != nil {
		answer(w, http.StatusInternalServerError, object{"error": err.Error()})
		return
	}
	request.Header.Set("Authorization", r.Header.Get("Authorization"))
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		answer(w, http.StatusBadGateway, object{"error": err.Error()})
		return
	}
	defer response.Body.Close()
	var list struct {
		Data  []struct{ Guests int }
		Error any
	}
	err = json.NewDecoder(response.Body).Decode(&list)
	if err != nil || response.StatusCode != http.StatusOK {
		answer(w, response.StatusCode, object{"data": nil, "error": list.Error})
		return
	}
	left := seats
	for _, one := range list.Data {
		left -= one.Guests
	}
	answer(w, http.StatusOK, object{"data": object{"free": left}})
}

func answer(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(body)
}

func main() {
	if len(key) == 0 {
		log.Fatal("SECRET must be what `quire hook secret` prints")
	}
	http.HandleFunc("POST /hooks", reservation)
	http.HandleFunc("GET /api/reserve/free", free)
	l, err := net.Listen("tcp", listen)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("listening")
	log.Fatal(http.Serve(l, nil))
}
