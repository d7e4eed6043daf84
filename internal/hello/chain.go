package hello

import "strings"

// chain runs the commands of a line one after the other. The first that fails
// ends it, with its code.
func (p *program) chain(line string) error {
	commands, err := split(line)
	if err != nil {
		return err
	}
	for _, args := range commands {
		if code := p.run(args); code != 0 {
			return exitError(code)
		}
		if p.stopped.Load() {
			return nil
		}
	}
	return nil
}

// split cuts a line into commands at && and each command into words at blanks.
// Single quotes keep everything, double quotes everything but \" and \\, and
// outside quotes a backslash keeps the next character. That is all there is of a
// shell here: no variables, no patterns.
func split(line string) ([][]string, error) {
	var commands [][]string
	var words []string
	var word strings.Builder
	inWord := false
	endWord := func() {
		if inWord {
			words = append(words, word.String())
			word.Reset()
			inWord = false
		}
	}
	endCommand := func() error {
		endWord()
		if len(words) == 0 {
			return usageError("run: a command is missing beside &&")
		}
		commands, words = append(commands, words), nil
		return nil
	}
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case c == ' ' || c == '\t' || c == '\n':
			endWord()
		case c == '&' && strings.HasPrefix(line[i:], "&&"):
			i++
			if err := endCommand(); err != nil {
				return nil, err
			}
		case c == '\'' || c == '"':
			inWord = true
			for i++; ; i++ {
				if i >= len(line) {
					return nil, usageError("run: a quote is not closed")
				}
				if line[i] == c {
					break
				}
				if c == '"' && line[i] == '\\' && i+1 < len(line) && (line[i+1] == '"' || line[i+1] == '\\') {
					i++
				}
				word.WriteByte(line[i])
			}
		case c == '\\' && i+1 < len(line):
			i++
			inWord = true
			word.WriteByte(line[i])
		default:
			inWord = true
			word.WriteByte(c)
		}
	}
	if err := endCommand(); err != nil {
		return nil, err
	}
	return commands, nil
}
