package projector

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"pgregory.net/rapid"
)

func testRedactor() *Redactor {
	return NewRedactor(RedactConfig{
		Home: "/home/ada/", Cwd: "/home/ada/src/demo",
		Environ: []string{
			"MY_API_KEY=hunter2-hunter2", "DB_PASSWORD=pa\"ss\\word é9", "SERVICE_TOKEN=99887766554433", "X_SECRET=longer-hunter2-hunter2",
			"PATH_KEY=/usr/share/keys", "EMPTY_KEY=", "SHORT_KEY=abc", "GIT_AUTHOR_NAME=Ada Lovelace", "WORD_TOKEN=disabled",
			"EDITOR=not-a-secret-value", "KEYBOARD=qwerty-layout", "BROKEN", "CERT_KEY=line-one-of-it\nline-two-of-it",
		},
	})
}

var textCases = []struct{ name, in, want string }{
	{"nothing", "plain text: a = b; see https://example.com/a?b=c#d", "plain text: a = b; see https://example.com/a?b=c#d"},
	{"env value", "it is hunter2-hunter2.", "it is [redacted:env:MY_API_KEY]."},
	{"env value inside another", "longer-hunter2-hunter2", "[redacted:env:X_SECRET]"},
	{"env value in JSON", `{"p":"pa\"ss\\word é9"}`, `{"p":"[redacted:env:DB_PASSWORD]"}`},
	{"env value in a URL", "?p=pa%22ss%5Cword+%C3%A99&q", "?p=[redacted:env:DB_PASSWORD]&q"},
	{"env value of two lines", "x\nline-one-of-it\nline-two-of-it", "x\n[redacted:env:CERT_KEY]\n[redacted:env:CERT_KEY]"},
	{"not secrets", "Ada Lovelace disabled not-a-secret-value qwerty-layout /usr/share/keys", "Ada Lovelace disabled not-a-secret-value qwerty-layout /usr/share/keys"},

	{"home", "in /home/ada and /home/ada/x, not /home/adam", "in ~ and ~/x, not /home/adam"},
	{"cwd", "/home/ada/src/demo/a.go:1 /home/ada/src/demo", "./a.go:1 ."},
	{"cwd longer name", "/home/ada/src/demo-2/a /home/ada/src/demo.bak", "~/src/demo-2/a ~/src/demo.bak"},
	{"path inside a path", "/mnt/home/ada/x", "/mnt/home/ada/x"},
	{"path in other things", "file:///home/ada/x -I/home/ada/inc (/home/ada). \\n/home/ada", "file://~/x -I~/inc (~). \\n~"},

	{"aws", "AKIAIOSFODNN7EXAMPLE", "[redacted:aws-key]"},
	{"github", "token ghp_1234567890abcdefghijABCDEFGHIJ123456!", "token [redacted:github-token]!"},
	{"github others", "gho_1234567890abcdefghijABC ghs_1234567890abcdefghijABC github_pat_11ABCDEFG0123456789_abc", "[redacted:github-token] [redacted:github-token] [redacted:github-token]"},
	{"github prose", "the ghp_ prefix", "the ghp_ prefix"},
	{"openai", "sk-proj-abcdefghij_klmnop-1 sk-abcdefghijklmnopqrstuvwxyz1234", "[redacted:openai-key] [redacted:api-key]"},
	{"anthropic", "sk-ant-api03-abcdefghijklm", "[redacted:anthropic-key]"},
	{"not a key", "task-abcdefghijklmnopqrstuvwxyz1 sk-learn-contrib-some-project", "task-abcdefghijklmnopqrstuvwxyz1 sk-learn-contrib-some-project"},
	{"after an escape", `\nsk-ant-api03-abcdefghijklm`, `\n[redacted:anthropic-key]`},
	{"slack", "xoxb-123456789012-abcdef", "[redacted:slack-token]"},
	{"google", "AIzaSyA1234567890abcdefghijklmnopqrstuv", "[redacted:google-key]"},
	{"jwt", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmN", "[redacted:jwt]"},
	{"not a jwt", "eyJhbGciOi.json keyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0", "eyJhbGciOi.json keyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0"},
	{"pem", "a\n-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----\nb", "a\n[redacted:private-key]\nb"},
	{"pem cut off", "a -----BEGIN PRIVATE KEY-----\nMIIE", "a [redacted:private-key]"},
	{"pem public", "-----BEGIN PUBLIC KEY-----\nMIIE\n-----END PUBLIC KEY-----", "-----BEGIN PUBLIC KEY-----\nMIIE\n-----END PUBLIC KEY-----"},
	{"url", "postgres://ada:s3cret@db:5432/x http://localhost:8080/", "postgres://ada:[redacted:url-password]@db:5432/x http://localhost:8080/"},
	{"url, at in the password", "https://u:p@ss@host/", "https://u:[redacted:url-password]@host/"},

	{"bearer header", "Authorization: Bearer abcdef0123456789ABCDEF0123456789", "Authorization: Bearer [redacted:authorization]"},
	{"basic header", `curl -H "authorization: Basic YWRhOmxvdmVsYWNl" x`, `curl -H "authorization: Basic [redacted:authorization]" x`},
	{"bearer alone", "with Bearer abcdef0123456789ABCDEF", "with Bearer [redacted:bearer]"},
	{"bearer prose", "Bearer authentication is used", "Bearer authentication is used"},
	{"cookies", "Cookie: a=b; session=abcdef\nSet-Cookie: sid=12345678; Path=/", "Cookie: [redacted:cookie]\nSet-Cookie: [redacted:cookie]"},

	{"assignment", "password=hunter2hunter api_key = 'abcdefgh' x", "password=[redacted:secret] api_key = '[redacted:secret]' x"},
	{"assignment in JSON", `{"apiKey": "abcdefgh1234", "n": 1}`, `{"apiKey": "[redacted:secret]", "n": 1}`},
	{"assignment in JSON in JSON", `"{\"password\": \"abcdefgh\"}"`, `"{\"password\": \"[redacted:secret]\"}"`},
	{"assignment, env style", "export AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG", "export AWS_SECRET_ACCESS_KEY=[redacted:secret]"},
	{"assignment, yaml", "db_password: correcthorse\nuser: ada", "db_password: [redacted:secret]\nuser: ada"},
	{"assignment, query", "GET /x?access_token=abcdef123456&y=1", "GET /x?access_token=[redacted:token]&y=1"},
	{"assignment, short", "password=abc token: 1", "password=abc token: 1"},
	{"assignment, code", "password = getPassword() token := process.env.TOKEN secret: ${{ secrets.X }} token: CancellationToken max_tokens=12345678", "password = getPassword() token := process.env.TOKEN secret: ${{ secrets.X }} token: CancellationToken max_tokens=12345678"},
	{"hidden already", "password=[redacted:secret] Authorization: Bearer [redacted:authorization]", "password=[redacted:secret] Authorization: Bearer [redacted:authorization]"},
}

func TestRedactText(t *testing.T) {
	r := testRedactor()
	for _, c := range textCases {
		got, hidden := r.Text(c.in)
		if got != c.want {
			t.Errorf("%s: %s\nbecame    %s\nwant      %s", c.name, c.in, got, c.want)
		}
		if n := int64(strings.Count(c.want, markerStart) - strings.Count(c.in, markerStart)); hidden != n {
			t.Errorf("%s: %d hidden, want %d", c.name, hidden, n)
		}
		if again, n := r.Text(got); again != got || n != 0 {
			t.Errorf("%s: redacted again: %s", c.name, again)
		}
	}
}

// However a text is split, what leaves hides the same secrets, and a text
// without any leaves as it was.
func TestRedactStream(t *testing.T) {
	r := testRedactor()
	secrets := []string{
		"hunter2", "ss%5Cw", "line-one", "IOSFODNN", "90abcdefghij", "api03-abc", "abcdefghij_k", "123456789012", "A1234567890", "OiJIUzI1NiJ9", "MIIE",
		"s3cret", "ef0123456789", "YWRhOmxv", "session=ab", "K7MDENG", "correcthorse", "ada/",
	}
	for _, c := range textCases {
		check := func(pieces []string) {
			s, got := stream{r: r}, ""
			for _, p := range pieces {
				got += s.push(p)
			}
			got += s.finish()
			if c.in == c.want && got != c.want {
				t.Fatalf("%s: %q became %q", c.name, pieces, got)
			}
			for _, secret := range secrets {
				if strings.Contains(got, secret) && !strings.Contains(c.want, secret) {
					t.Fatalf("%s: %q shows %q: %q", c.name, pieces, secret, got)
				}
			}
		}
		for at := range len(c.in) + 1 {
			check([]string{c.in[:at], c.in[at:]})
		}
		check(strings.Split(c.in, ""))
	}
}

func TestStreamHoldsLittle(t *testing.T) {
	r := testRedactor()
	s := stream{r: r}
	for _, c := range []struct{ in, out string }{
		{"token ghp_1234567890abc", "token "},
		{"defghijABCDEFGHIJ123456", "[redacted:github-token]"},
		{"789 and ", " and "},
		{"sk-", ""},
		{"ip it", "sk-ip it"},
		{"-----BEGIN RSA PRIVATE KEY-----", "[redacted:private-key]"},
		{"MIIE\n-----END", ""},
		{" RSA PRIVATE KEY----- ok", " ok"},
		{" Scanning.", " Scanning."},
		{" http://localhost:80", " http://localhost:"},
		{"80/", "8080/"},
	} {
		if got := s.push(c.in); got != c.out {
			t.Errorf("%q gave %q, want %q", c.in, got, c.out)
		}
	}
	s = stream{r: r}
	var got strings.Builder
	got.WriteString(s.push("ghp_"))
	for range 1000 {
		got.WriteString(s.push(strings.Repeat("%", 100)))
	}
	if len(s.held) > 0 || len(s.before) > lookBack || len(got.String()) != 100004 {
		t.Errorf("held %d, before %d, left %d", len(s.held), len(s.before), len(got.String()))
	}
}

func TestRedactJSON(t *testing.T) {
	r := testRedactor()
	for _, c := range []struct{ in, want string }{
		{`{ "z":1.0, "a" : 1e3,"k":"\u00e9\/" }`, `{ "z":1.0, "a" : 1e3,"k":"\u00e9\/" }`},
		{`{"k":"gh\u0070_1234567890abcdefghijABCDEFGHIJ123456 \u00e9"}`, `{"k":"[redacted:github-token] \u00e9"}`},
		{`{"cmd":"cd \"/home/ada/src/demo\"\n./x"}`, `{"cmd":"cd \".\"\n./x"}`},
		{`{"n":99887766554433,"m":12}`, `{"n":"[redacted:env:SERVICE_TOKEN]","m":12}`},
		{`{"password":"with \"quotes\" in","n":1}`, `{"password":"[redacted:secret]","n":1}`},
		{`{"password":{"a":"with quotes in"}}`, `{"password":{"a":"with quotes in"}}`},
		{`["Authorization: Bearer abcdef0123456789","\ud83d\ude80 hunter2-hunter2"]`, `["Authorization: Bearer [redacted:authorization]","\ud83d\ude80 [redacted:env:MY_API_KEY]"]`},
		{`{"hunter2-hunter2":"\ud83d"}`, `{"[redacted:env:MY_API_KEY]":"\ud83d"}`},
		{`{"pem":"-----BEGIN PRIVATE KEY-----\nMIIE\n-----END PRIVATE KEY-----\n"}`, `{"pem":"[redacted:private-key]\n"}`},
		{`{"pem":"-----BEGIN PRIVATE KEY-----\nMIIE","x":1}`, `{"pem":"[redacted:private-key]","x":1}`},
		{`{"broken": hunter2-hunter2`, `{"broken": [redacted:env:MY_API_KEY]`},
		{``, ``},
	} {
		if got, _ := r.JSON(c.in); got != c.want {
			t.Errorf("%s\nbecame %s\nwant   %s", c.in, got, c.want)
		}
	}
}

func TestRedactPath(t *testing.T) {
	r := testRedactor()
	for in, want := range map[string]string{"/home/ada": "~", "/home/ada/x": "~/x", "/home/adam": "/home/adam", "": "", "/srv": "/srv"} {
		if got := r.Path(in); got != want {
			t.Errorf("%q became %q", in, got)
		}
	}
	for _, c := range []RedactConfig{{}, {Home: "/", Cwd: "/"}, {Home: "\xff\xff\xff"}} {
		if got, _ := NewRedactor(c).Text("/ /a /home/ada"); got != "/ /a /home/ada" {
			t.Errorf("%+v: %s", c, got)
		}
	}
}

// What nearly matches, over and over, costs no more than its length.
func TestRedactHostileText(t *testing.T) {
	r := testRedactor()
	for _, s := range []string{
		"token=", "token=a:", "cookie:$", "sk-", "eyJ.", "eyJ", "://", "http://a:", "-----BEGIN ", "-----BEGIN PRIVATE KEY", "-----END ", "hunter2-", "/home/ada",
		`\`, `"`, `{"token":`, "Bearer ", "authorization: ",
	} {
		text := strings.Repeat(s, 1<<18/len(s))
		r.Text(text)
		quoted, _ := jsontext.AppendQuote(nil, text)
		r.JSON(string(quoted))
		st := stream{r: r}
		for i := 0; i+100 < len(text); i += 100 {
			st.push(text[i : i+100])
		}
	}
}

// fragments are drawn together to texts that are nearly secrets.
var fragments = []string{
	"ghp_", "sk-", "sk-ant-", "eyJ", "abcdefghij", "0123456789", ".", "-", "=", ": ", "password", "token", "Authorization", "Bearer ", `"`, `\`,
	"'", "\n", " ", "://", "@", "/home/ada", "/src/demo", "-----BEGIN ", "-----END ", "PRIVATE KEY-----", "hunter2-", "hunter2", "é", "🚀", "(", "{", "}",
	",", "\\n", "\\u00", "a", "99887766554433", "[", "]", "[redacted:x]",
}

func randomText(t *rapid.T) string {
	return strings.Join(rapid.SliceOfN(rapid.SampledFrom(fragments), 0, 24).Draw(t, "text"), "")
}

// Whatever the text: no panic, valid UTF-8 and JSON stay so, clean text is
// not touched, and streams agree with whole texts on clean ones.
func TestRedactProperties(t *testing.T) {
	r := testRedactor()
	rapid.Check(t, func(t *rapid.T) {
		s := randomText(t)
		got, hidden := r.Text(s)
		if strings.Contains(got, "hunter2-hunter2") || repair(got) != got {
			t.Fatalf("%q became %q", s, got)
		}
		if got == s && hidden != 0 {
			t.Fatalf("%q: %d hidden", s, hidden)
		}
		quoted, _ := jsontext.AppendQuote(nil, s)
		for _, in := range []string{string(quoted), `{"password":` + string(quoted) + `,"n":[1.0,99887766554433]}`, s} {
			out, _ := r.JSON(in)
			if jsontext.Value(in).IsValid() && !jsontext.Value(out).IsValid() {
				t.Fatalf("%s became %s", in, out)
			}
		}
		st, left := stream{r: r}, ""
		for len(s) > 0 {
			n := rapid.IntRange(1, len(s)).Draw(t, "piece")
			piece, _ := splitIncomplete(s[:n])
			if piece == "" {
				piece = head(s, 4)
			}
			left += st.push(piece)
			s = s[len(piece):]
		}
		left += st.finish()
		if strings.Contains(left, "hunter2-hunter2") {
			t.Fatalf("left: %q", left)
		}
	})
}

func FuzzRedactJSON(f *testing.F) {
	r := testRedactor()
	for _, c := range textCases {
		f.Add(c.in)
	}
	f.Fuzz(func(t *testing.T, s string) {
		valid := jsontext.Value(s).IsValid()
		out, _ := r.JSON(repair(s))
		if valid && !jsontext.Value(out).IsValid() {
			t.Fatalf("%s became %s", s, out)
		}
	})
}

func BenchmarkRedactClean(b *testing.B) {
	r := testRedactor()
	s := strings.Repeat("func (p *Projector) flush(o *out) { for _, w := range p.pending { o.add(w.event) } } // see https://example.com: ok\n", 9000)
	b.SetBytes(int64(len(s)))
	b.ReportAllocs()
	for b.Loop() {
		r.Text(s)
	}
}

func BenchmarkRedactDelta(b *testing.B) {
	s := stream{r: testRedactor()}
	b.ReportAllocs()
	for b.Loop() {
		s.push("a few more words ")
	}
}
