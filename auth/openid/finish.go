package openid

import (
	"context"
	"crypto/subtle"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
)

// finishTime limits the time of all requests of one attempt together.
const finishTime = 20 * time.Second

// Finish ends an attempt with the query with which the provider redirected the browser
// back. It exchanges the code and checks the response. Errors are *RefusedError,
// *UnreachableError and *UntrustedError.
func (p *Provider) Finish(ctx context.Context, a *Attempt, query url.Values) (*Identity, error) {
	ctx, cancel := context.WithTimeout(p.context(ctx), finishTime)
	defer cancel()
	switch {
	case query.Has("error"):
		return nil, refused(query.Get("error"))
	case query.Has("iss") && p.settings.Issuer != "" && query.Get("iss") != p.settings.Issuer:
		return nil, &UntrustedError{Why: "another provider sent the browser back"}
	case query.Get("code") == "":
		return nil, &UntrustedError{Why: "the provider sent the browser back without a code"}
	}
	config, known, err := p.endpoint(ctx)
	if err != nil {
		return nil, err
	}
	token, err := config.Exchange(ctx, query.Get("code"), oauth2.VerifierOption(a.Verifier))
	if err != nil {
		return nil, exchangeError(err)
	}
	if known == nil {
		return p.whoSignedIn(ctx, token)
	}
	claims, err := p.proven(ctx, known, a, token)
	if err != nil {
		return nil, err
	}
	if err := p.addInfo(ctx, claims, known.UserInfoEndpoint(), token); err != nil {
		return nil, err
	}
	return p.identity(claims)
}

// proven returns the claims of the ID token that the provider returned for the code.
func (p *Provider) proven(ctx context.Context, known *oidc.Provider, a *Attempt, token *oauth2.Token) (Claims, error) {
	raw, _ := token.Extra("id_token").(string)
	if raw == "" {
		return nil, &UntrustedError{Why: "the provider gave no ID token; is openid among the scopes?"}
	}
	shown, claims, err := p.verify(ctx, known, raw)
	switch {
	case err != nil:
		return nil, err
	case subtle.ConstantTimeCompare([]byte(shown.Nonce), []byte(a.Nonce)) != 1:
		return nil, &UntrustedError{Why: "the ID token is of another attempt to sign in"}
	case shown.AccessTokenHash != "" && shown.VerifyAccessToken(token.AccessToken) != nil:
		return nil, &UntrustedError{Why: "the ID token came with another access token"}
	}
	return claims, nil
}

// verify checks an ID token: its signature, with keys of the provider and algorithms that
// need one; its issuer and expiry; and that it was made for this client.
func (p *Provider) verify(ctx context.Context, known *oidc.Provider, raw string) (*oidc.IDToken, Claims, error) {
	shown, err := known.VerifierContext(ctx, &oidc.Config{ClientID: p.settings.ClientID, Now: p.now}).Verify(ctx, raw)
	if err != nil {
		return nil, nil, &UntrustedError{"the ID token is not valid", err}
	}
	claims := Claims{}
	if err := shown.Claims(&claims); err != nil {
		return nil, nil, &UntrustedError{"the ID token cannot be read", err}
	}
	party := claims.text("azp")
	if party != "" && party != p.settings.ClientID || party == "" && len(shown.Audience) > 1 {
		return nil, nil, &UntrustedError{Why: "the ID token was given to another client"}
	}
	return shown, claims, nil
}

// Ticket identifies an ID token so that it can be used only once.
type Ticket struct {
	Once string    // the same for the same token, in any encoding
	Ends time.Time // when the token expires
}

// Maximum age of an ID token from a program, and maximum difference of clocks.
const (
	tokenLasts = 10 * time.Minute
	clocksAway = time.Minute
)

// Check takes an ID token of this client that a program got from the provider by itself, as
// programs on phones do, up to ten minutes after it was made. The caller must refuse it the
// second time: nothing else binds it to an attempt. Errors are *UntrustedError and
// *UnreachableError.
func (p *Provider) Check(ctx context.Context, raw string) (*Identity, Ticket, error) {
	ctx, cancel := context.WithTimeout(p.context(ctx), finishTime)
	defer cancel()
	if p.settings.Issuer == "" {
		return nil, Ticket{}, &UntrustedError{Why: "a provider of OAuth 2 gives no ID tokens"}
	}
	known, err := p.discover(ctx)
	if err != nil {
		return nil, Ticket{}, err
	}
	shown, claims, err := p.verify(ctx, known, raw)
	if err != nil {
		return nil, Ticket{}, err
	}
	if age := p.now().Sub(shown.IssuedAt); age >= tokenLasts || age < -clocksAway {
		return nil, Ticket{}, &UntrustedError{Why: "the ID token was not made within the last ten minutes"}
	}
	var said json.RawMessage // it may have several signatures, each written in several ways
	if err := shown.Claims(&said); err != nil {
		return nil, Ticket{}, &UntrustedError{"the ID token cannot be read", err}
	}
	id, err := p.identity(claims)
	return id, Ticket{string(said), shown.IssuedAt.Add(tokenLasts)}, err
}

// addInfo requests what the ID token lacks, if that is the address or what is needed, and
// the provider has an endpoint for it.
func (p *Provider) addInfo(ctx context.Context, claims Claims, address string, token *oauth2.Token) error {
	lacks := claims.text(p.settings.Members.Email) == "" || p.needs != "" && claims.At(p.needs) == nil
	if address == "" || !lacks {
		return nil
	}
	info := Claims{}
	if err := p.get(ctx, address, token, &info); err != nil {
		return err
	}
	if info.text("sub") != claims.text("sub") {
		return &UntrustedError{Why: "the provider answered about somebody else"}
	}
	for name, value := range info {
		if _, said := claims[name]; !said {
			claims[name] = value
		}
	}
	return nil
}

// get sends a request to the provider with an access token and reads the JSON of the
// response.
func (p *Provider) get(ctx context.Context, address string, token *oauth2.Token, into any) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return &UnreachableError{err}
	}
	request.Header.Set("Authorization", "Bearer "+token.AccessToken)
	request.Header.Set("Accept", "application/json")
	request.Header.Set("User-Agent", "Quire")
	answer, err := p.client.Do(request)
	if err != nil {
		return &UnreachableError{err}
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	switch {
	case err != nil:
		return &UnreachableError{err}
	case answer.StatusCode != http.StatusOK:
		return &UnreachableError{fmt.Errorf("it returned %d when asked who signed in", answer.StatusCode)}
	}
	if err := json.Unmarshal(body, into); err != nil {
		return &UnreachableError{fmt.Errorf("its response about who signed in is not valid: %w", err)}
	}
	return nil
}

// whoSignedIn asks a provider of OAuth 2 who signed in. The access token was exchanged for
// the code with the provider itself, so it is for this client.
func (p *Provider) whoSignedIn(ctx context.Context, token *oauth2.Token) (*Identity, error) {
	claims := Claims{}
	if err := p.get(ctx, p.settings.UserInfo, token, &claims); err != nil {
		return nil, err
	}
	id, err := p.identity(claims)
	if err != nil || p.settings.Emails == "" {
		return id, err
	}
	var emails []struct {
		Email             string
		Primary, Verified bool
	}
	if err := p.get(ctx, p.settings.Emails, token, &emails); err != nil {
		return nil, err
	}
	id.Email, id.EmailVerified = "", false
	for _, e := range slices.Backward(emails) {
		if e.Primary && len(e.Email) <= longestEmail {
			id.Email, id.EmailVerified = e.Email, p.isTheirs(e.Email, e.Verified)
		}
	}
	return id, nil
}
