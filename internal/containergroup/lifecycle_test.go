package containergroup

import "testing"

func TestSmoke(t *testing.T) {
	s := start(t, nil)
	a := s.put("web", oneContainer(""))
	t.Log(a.status, a.header, a.text)
	a = s.settled("web")
	t.Log(a.text)
	a = s.call("DELETE", group("web"), "")
	t.Log(a.status, a.text)
}
