// Package enginetest is the suite that every implementation of engine.Engine
// passes. It drives an engine through that interface alone and looks at nothing
// but what a caller sees.
//
// An engine's own test needs no more than
//
//	func TestEngine(t *testing.T) {
//		enginetest.Run(t, func(t *testing.T, dir string) engine.Engine {
//			rt, err := native.New(t.Context(), native.Options{Dir: filepath.Join(dir, "native"), Images: images})
//			if err != nil {
//				t.Fatal(err)
//			}
//			e, err := pod.New(t.Context(), rt, enginetest.PodOptions(filepath.Join(dir, "pod")))
//			if err != nil {
//				t.Fatal(err)
//			}
//			return e
//		}, enginetest.Features{Real: true, Adopts: true, Limits: true, MissingImage: "Not/A:::Reference"})
//	}
//
// and nothing else.
//
// The function opens an engine whose state lives below dir; the suite closes it.
// It is called again with the same dir after a Close to stand for a restart of
// the server. Restart delays must be short, as [PodOptions] has them: the suite
// waits for several restarts. An engine that cannot run here (no root, not
// Linux) calls t.Skip with the reason.
//
// The suite leaves nothing behind: every group is removed at the end of its test.
//
// Containers run the built-in image ludgate/hello and its program /hello; an
// engine that has it under another name says so in [Features].
package enginetest
