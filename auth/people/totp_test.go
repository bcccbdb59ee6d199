package people

import (
	"testing"
	"time"
)

// The codes are those of RFC 6238, appendix B, of which the last six digits count.
func TestCodes(t *testing.T) {
	secret := []byte("12345678901234567890")
	for at, want := range map[int64]string{
		1111111109: "081804", 1111111111: "050471", 1234567890: "005924", 2000000000: "279037", 20000000000: "353130",
	} {
		if got := codeAt(secret, at/codeStep); got != want {
			t.Errorf("at %d: %s, want %s", at, got, want)
		}
		for late, ok := range map[int64]bool{0: true, codeStep: true, -codeStep: true, 2 * codeStep: false, -2 * codeStep: false} {
			if _, got := stepOfCode(secret, want, time.Unix(at+late, 0)); got != ok {
				t.Errorf("at %d, %d seconds off: %t", at, late, got)
			}
		}
	}
	if got, want := codeURL(secret, "The Guide", "ana@example.org"), "otpauth://totp/The%20Guide:ana@example.org?issuer=The%20Guide&secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"; got != want {
		t.Errorf("the address is %s, want %s", got, want)
	}
}
