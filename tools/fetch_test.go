//go:build linux

package tools_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/ringside-hub/ringside/tools"
)

func TestFetchRefusesAddresses(t *testing.T) {
	b := newBench(t, nil, nil)
	list, err := tools.New(tools.Workspace{Dir: b.dir}, "fetch")
	if err != nil {
		t.Fatal(err)
	}
	b.tools["fetch"] = list[0]
	reached := false
	s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached = true }))
	defer s.Close()
	port := s.URL[strings.LastIndexByte(s.URL, ':'):]
	for _, host := range []string{
		"127.0.0.1", "localhost", "127.1.2.3", "0.0.0.0", "[::1]", "[::ffff:127.0.0.1]", "[::]", "169.254.169.254", "10.0.0.1", "172.16.0.1",
		"192.168.1.1", "100.64.0.1", "[fe80::1]", "[fe80::1%25lo]", "[fd00::1]", "[64:ff9b::7f00:1]", "[2002:7f00:1::]",
	} {
		a := b.fails("fetch", object{"url": "http://" + host + port + "/"}, "the address is not a public one")
		if a.err != nil && strings.Contains(a.err.Error(), port) {
			t.Errorf("%s: %q names the address", host, a.err)
		}
	}
	for address, want := range map[string]string{
		"file:///etc/passwd": "only http", "ftp://example.com/": "only http", "example.com": "only http", "http://": "no host", "": "only http",
		"http://user:pw@example.com/": "a user name or a password", "http://a b/": "not valid", "javascript:alert(1)": "only http",
		"http://example.com/" + strings.Repeat("x", 5000): "5019 bytes", "http://[::1": "not valid", "http://nowhere.invalid/": "host",
	} {
		b.fails("fetch", object{"url": address}, want)
	}
	if reached {
		t.Error("the server on this machine was reached")
	}
}

func TestPublicOnly(t *testing.T) {
	for _, a := range []string{"1.1.1.1", "8.8.8.8", "172.32.0.1", "100.128.0.1", "192.169.0.1", "2606:4700::1111", "::ffff:1.1.1.1"} {
		if err := tools.PublicOnly(netip.MustParseAddr(a)); err != nil {
			t.Errorf("%s: %v", a, err)
		}
	}
	for _, a := range []string{
		"0.1.2.3", "10.255.255.255", "100.127.255.255", "127.255.0.1", "169.254.0.1", "172.31.255.255", "192.0.0.1", "192.168.0.1", "198.19.0.1",
		"224.0.0.1", "239.1.1.1", "240.0.0.1", "255.255.255.255", "::", "::1", "::7f00:1", "::ffff:10.0.0.1", "::ffff:169.254.169.254", "fe80::1%eth0",
		"fc00::1", "fdff::1", "fec0::1", "ff02::1", "64:ff9b::a00:1", "64:ff9b:1::1", "2001::1", "2001:db8::1", "2002:a00:1::", "100::1",
	} {
		if err := tools.PublicOnly(netip.MustParseAddr(a)); err == nil {
			t.Errorf("%s is accepted", a)
		}
	}
	if tools.PublicOnly(netip.Addr{}) == nil {
		t.Error("no address is accepted")
	}
}

// pages is a server with what a fetch may come across.
func pages(t *testing.T) string {
	mux := http.NewServeMux()
	page := func(path, contentType, body string) {
		mux.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) {
			w.Header()["Content-Type"] = []string{contentType}
			if contentType == "" {
				w.Header()["Content-Type"] = nil
			}
			fmt.Fprint(w, body)
		})
	}
	page("/text", "text/plain; charset=utf-8", "plain <b>text</b>")
	page("/html", "text/html", "<title>T &amp; U</title><meta charset=utf-8><p>Hello,  <a href='/x?a=1'>w&ouml;rld</a>.<script>no()</script>")
	page("/json", "application/json", `{"a":1}`)
	page("/latin", "text/plain; charset=iso-8859-1", "caf\xe9")
	page("/latinhtml", "text/html", "<meta charset=windows-1252><p>caf\xe9 \x80")
	page("/unknown", "text/plain; charset=martian", "ok\xff")
	page("/png", "image/png", "\x89PNG")
	page("/liar", "text/plain", "a\x00b")
	page("/none", "", "just text")
	page("/nonebin", "", "\x7fELF\x00")
	page("/empty", "text/plain", "")
	page("/big", "text/plain", strings.Repeat("0123456789", 20_000))
	page("/bytes", "text/plain", strings.Repeat("ä", 20_000))
	mux.HandleFunc("/gone", func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "not here", http.StatusNotFound) })
	mux.HandleFunc("/to/{n}", func(w http.ResponseWriter, r *http.Request) {
		n := len(r.PathValue("n"))
		http.Redirect(w, r, "/to/"+strings.Repeat("x", n-1)+map[bool]string{true: "../text"}[n == 1], http.StatusFound)
	})
	mux.HandleFunc("/away", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, r.URL.Query().Get("to"), http.StatusFound)
	})
	mux.HandleFunc("/endless", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		for {
			if _, err := w.Write(bytes.Repeat([]byte("more "), 1000)); err != nil {
				return
			}
		}
	})
	mux.HandleFunc("/drip", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		fmt.Fprint(w, "drop")
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	})
	mux.HandleFunc("/bomb", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		for range 1000 {
			if _, err := z.Write(make([]byte, 1<<16)); err != nil {
				return
			}
		}
		z.Close()
	})
	mux.HandleFunc("/cut", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "1000")
		w.Header().Set("Content-Type", "text/plain")
		fmt.Fprint(w, "half")
	})
	mux.HandleFunc("/heads", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, r.Header.Get("Referer"), r.Header.Get("Authorization"), r.Header.Get("Cookie"), r.UserAgent())
	})
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s.URL
}

func TestFetch(t *testing.T) {
	b := newBench(t, func(w *tools.Workspace) { w.Limits.FetchBytes = 1 << 20 }, nil)
	at := pages(t)
	for path, want := range map[string]string{
		"/text":      "plain <b>text</b>\n",
		"/html":      "Hello, [wörld](" + at + "/x?a=1).\n",
		"/json":      "{\"a\":1}\n",
		"/latin":     "café\n",
		"/latinhtml": "café €\n",
		"/unknown":   "ok\uFFFD\n",
		"/none":      "just text\n",
		"/empty":     "\n(there is no text)\n",
		"/to/xxxxx":  "plain <b>text</b>\n",
		"/heads":     "ringside-fetch\n",
	} {
		if a := b.good("fetch", object{"url": at + path}); a.text != want {
			t.Errorf("%s: %q, want %q", path, a.text, want)
		}
	}
	for path, want := range map[string]string{
		"/png": "it is no text but image/png", "/liar": "it is no text, though it says so", "/nonebin": "it is no text",
		"/to/xxxxxx": "more than 5 redirects", "/away?to=" + url.QueryEscape("http://10.0.0.1/"): "not a public one",
		"/away?to=file:///etc/passwd": "redirect: url: only http", "/away?to=" + url.QueryEscape("http://a:b@example.com/"): "redirect: url: it has a user",
		"/cut": "the connection broke after 4 bytes", "/gone": "HTTP status 404 Not Found",
	} {
		b.fails("fetch", object{"url": at + path}, want)
	}
	a := b.call("fetch", object{"url": at + "/gone"})
	if a.text != "HTTP status 404 Not Found\nnot here\n" || a.details["status"] != 404.0 {
		t.Errorf("%q, details %v", a.text, a.details)
	}
	a = b.good("fetch", object{"url": at + "/to/x"})
	if a.details["url"] != at+"/text" || a.details["done"] != 17.0 || a.details["total"] != 17.0 || a.details["contentType"] != "text/plain" {
		t.Errorf("details %v", a.details)
	}
	if last := a.updates[len(a.updates)-1]; a.updates[0]["phase"] != "connecting" || last["phase"] != "receiving" || last["total"] != 17.0 {
		t.Errorf("updates %v", a.updates)
	}
	if a = b.good("fetch", object{"url": at + "/html", "raw": true}); !strings.HasPrefix(a.text, "<title>") {
		t.Errorf("%q", a.text)
	}
	if a = b.good("fetch", object{"url": at + "/html"}); a.details["title"] != "T & U" {
		t.Errorf("details %v", a.details)
	}
}

func TestFetchIsBounded(t *testing.T) {
	b := newBench(t, func(w *tools.Workspace) {
		w.Limits.FetchBytes = 1 << 20
		w.Limits.ResultBytes = 5001
	}, nil)
	at := pages(t)
	for _, path := range []string{"/endless", "/bomb"} {
		a := b.call("fetch", object{"url": at + path})
		switch {
		case path == "/bomb" && (a.err == nil || !strings.Contains(a.err.Error(), "no text")): // zeros
			t.Errorf("%s: %v", path, a.err)
		case path == "/endless" && (a.err != nil || a.details["cut"] != true || a.details["done"] != float64(1<<20) || len(a.text) > 6000 || len(a.Output) != 1<<20):
			t.Errorf("%s: %v, %d bytes, details %v", path, a.err, len(a.text), a.details)
		}
	}
	a := b.good("fetch", object{"url": at + "/bytes"})
	if !strings.HasSuffix(a.text, "ä\n[bytes 0 to 5000 of 40000; go on with offset 5000]\n") {
		t.Errorf("ends in %q", a.text[len(a.text)-80:])
	}
	a = b.good("fetch", object{"url": at + "/bytes", "offset": 39_997})
	if a.text != "ä\n" {
		t.Errorf("%q", a.text)
	}
	b.fails("fetch", object{"url": at + "/bytes", "offset": 40_000}, "offset: the text has only 40000 bytes")
	hasty := newBench(t, func(w *tools.Workspace) { w.Limits.FetchTime = 300 * time.Millisecond }, nil)
	hasty.fails("fetch", object{"url": at + "/drip"}, "took longer than 300ms")
	// Nobody listens there any more.
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	b.fails("fetch", object{"url": "http://" + l.Addr().String()}, "the connection was refused")
	b.fails("fetch", object{"url": strings.Replace(at, "http:", "https:", 1)}, "HTTPS")
}

func TestHTMLText(t *testing.T) {
	base, err := url.Parse("https://example.com/dir/page")
	if err != nil {
		t.Fatal(err)
	}
	for source, want := range map[string]string{
		"a<b>b</b>c <i>d</i> e":                            "abc d e\n",
		"<p>one</p>\n<p>two<br>three</p>":                  "one\n\ntwo\nthree\n",
		"<ul><li>a<li> b </ul>c":                           "- a\n- b\n\nc\n",
		"<pre>  x\n   y</pre>z":                            "x\n   y\n\nz\n",
		"<h1>T</h1><div>x</div><div>y</div>":               "T\n\nx\ny\n",
		"<a href=other>o</a> <a href='#f'>f</a>":           "[o](https://example.com/dir/other) f\n",
		"<a href='javascript:x()'>j</a>":                   "j\n",
		"<base href='http://b.example/'><a href=x>y":       "[y](http://b.example/x)\n",
		"<style>p{}</style><template>t</template>x<svg/>y": "xy\n",
		"<img alt='a cat'> and <img src=x>":                "a cat and\n",
		"<table><tr><td>1<td>2<tr><td>3</table>":           "1 2\n3\n",
		"a &lt;b&gt; &#x26; &bogus;":                       "a <b> & &bogus;\n",
		"":                                                 "\n",
		"<":                                                "<\n",
		"<script":                                          "\n",
	} {
		if got, _ := tools.HTMLText(source, base, 1<<20); got != want {
			t.Errorf("%q: %q, want %q", source, got, want)
		}
	}
	// Neither nesting nor links make it large or slow.
	long := "<base href='http://e.example/" + strings.Repeat("x", 1900) + "/'>" + strings.Repeat("<a href=y>", 200_000)
	if got, _ := tools.HTMLText(long, base, 1<<20); len(got) > 1<<20+5000 {
		t.Errorf("%d bytes", len(got))
	}
	if got, _ := tools.HTMLText(strings.Repeat("<div><b>", 500_000)+"x", base, 1<<20); got != "x\n" {
		t.Errorf("%d bytes", len(got))
	}
}

func FuzzHTMLText(f *testing.F) {
	f.Add("<p>a<a href='x'>b</a><pre> c</pre><li>d<svg/><title>t")
	f.Add("<a href=http://[::1>x<base href=%>")
	base, err := url.Parse("https://example.com/")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, source string) {
		if text, _ := tools.HTMLText(source, base, 1000); len(text) > 1000+4*len(source)+2*2000 {
			t.Errorf("%d bytes of %d", len(text), len(source))
		}
	})
}
