package data

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"ludgate/internal/player/call"
	"ludgate/internal/store"
)

var (
	objectsStmt       = statements.Get("objects")
	putObjectStmt     = statements.Get("put_object")
	removeObjectStmt  = statements.Get("remove_object")
	deleteObjectsStmt = statements.Get("delete_objects")
)

// setting is a checked SetObject; body is nil for a deletion.
type setting struct {
	name string
	body []byte // compact JSON
}

// checkObjects reads the objects of a call.
func checkObjects(objects []SetObject) ([]setting, error) {
	if len(objects) > maxObjects {
		return nil, call.Refuse("OverLimit", "An entity has at most %d objects", maxObjects)
	}
	f := &call.Faults{}
	seen := map[string]bool{}
	var all []setting
	for _, o := range objects {
		switch {
		case o.ObjectName == "":
			f.Required("ObjectName")
		case !plain(o.ObjectName) || strings.TrimSpace(o.ObjectName) != o.ObjectName:
			f.Add("ObjectName", "An object's name must not contain control characters or begin or end with a blank.")
		case utf8.RuneCountInString(o.ObjectName) > maxObjectName:
			return nil, call.Refuse("KeyLengthExceeded", "An object's name must be at most %d characters long", maxObjectName)
		case seen[o.ObjectName]:
			f.Add("ObjectName", "An object is there twice.")
		}
		seen[o.ObjectName] = true
		body, err := o.body(f)
		if err != nil {
			return nil, err
		}
		all = append(all, setting{o.ObjectName, body})
	}
	return all, f.Err()
}

// body is what is to be stored, as compact JSON; nil deletes the object.
func (o *SetObject) body(f *call.Faults) ([]byte, error) {
	text := bytes.Clone(o.DataObject)
	if o.DataObject.Kind() == 'n' {
		text = nil
	}
	sent := text != nil
	if o.EscapedDataObject != nil {
		if sent {
			f.Add("EscapedDataObject", "Only one of DataObject and EscapedDataObject may be sent.")
		}
		text, sent = []byte(*o.EscapedDataObject), true
	}
	if o.DeleteObject {
		if sent {
			f.Add("DeleteObject", "An object cannot be both deleted and sent.")
		}
		return nil, nil
	}
	if !sent {
		f.Required("DataObject")
		return nil, nil
	}
	value := jsontext.Value(text)
	if !value.IsValid() || value.Compact() != nil || depth(value) > maxDepth {
		return nil, call.Refuse("InvalidJSONContent", "The object %s is not valid JSON", o.ObjectName)
	}
	if len(value) > maxObjectBytes {
		return nil, call.Refuse("DataLengthExceeded", "An object must be at most %d bytes long as JSON", maxObjectBytes)
	}
	return value, nil
}

// maxDepth bounds how deeply an escaped object nests, as the edge bounds bodies.
const maxDepth = 64

// depth is how deeply a valid JSON value nests.
func depth(value jsontext.Value) int {
	dec, deepest := jsontext.NewDecoder(bytes.NewReader(value)), 0
	for {
		if _, err := dec.ReadToken(); err != nil {
			return deepest
		}
		deepest = max(deepest, dec.StackDepth())
	}
}

// readObjects gives the objects of an entity and the version of its profile. It
// never gives a nil map.
func readObjects(tx store.Tx, title, owner string, escape bool) (map[string]ObjectResult, int32, error) {
	h, err := loadHead(tx, title, owner, objectData)
	if err != nil {
		return nil, 0, err
	}
	stored, err := storedObjects(tx, title, owner)
	objects := make(map[string]ObjectResult, len(stored))
	for name, body := range stored {
		o := ObjectResult{ObjectName: name}
		if escape {
			o.EscapedDataObject = string(body)
		} else {
			o.DataObject = body
		}
		objects[name] = o
	}
	return objects, int32(h.version), err
}

func storedObjects(tx store.Tx, title, owner string) (map[string][]byte, error) {
	objects := map[string][]byte{}
	err := tx.Query(objectsStmt, func(r store.Row) error {
		objects[r.Text(0)] = r.Bytes(1)
		return nil
	}, title, owner)
	return objects, err
}

// writeObjects applies settings to an entity whose profile must have the version
// expected, where that is not nil. The version grows by one when anything changed.
func writeObjects(tx store.Tx, title, owner string, expected *int32, settings []setting, now int64) (int32, []SetObjectInfo, error) {
	h, err := loadHead(tx, title, owner, objectData)
	if err != nil {
		return 0, nil, err
	}
	if expected != nil && int64(*expected) != h.version {
		return 0, nil, call.Refuse("EntityProfileVersionMismatch", "The profile has version %d, not the version that was expected", h.version)
	}
	have, err := storedObjects(tx, title, owner)
	if err != nil {
		return 0, nil, err
	}
	changed := false
	results := make([]SetObjectInfo, 0, len(settings))
	for _, s := range settings {
		info, err := writeObject(tx, title, owner, s, have, now)
		if err != nil {
			return 0, nil, err
		}
		changed = changed || info.SetResult != None
		results = append(results, info)
	}
	if len(have) > maxObjects {
		return 0, nil, call.Refuse("OverLimit", "An entity has at most %d objects", maxObjects)
	}
	if !changed {
		return int32(h.version), results, nil
	}
	h = head{version: h.version + 1, entries: int64(len(have))}
	for name, body := range have {
		h.bytes += int64(len(name) + len(body))
	}
	return int32(h.version), results, h.store(tx, title, owner, objectData)
}

// writeObject applies one setting, in the store and in have.
func writeObject(tx store.Tx, title, owner string, s setting, have map[string][]byte, now int64) (SetObjectInfo, error) {
	old, there := have[s.name]
	info := SetObjectInfo{ObjectName: s.name, SetResult: None}
	switch {
	case s.body == nil && !there:
		info.OperationReason = "There is no such object."
		return info, nil
	case s.body == nil:
		delete(have, s.name)
		info.SetResult = Deleted
		_, err := tx.Exec(removeObjectStmt, title, owner, s.name)
		return info, err
	case there && bytes.Equal(old, s.body):
		info.OperationReason = "The object is the same."
		return info, nil
	}
	have[s.name] = s.body
	if info.SetResult = Created; there {
		info.SetResult = Updated
	}
	_, err := tx.Exec(putObjectStmt, title, owner, s.name, s.body, now)
	return info, err
}
