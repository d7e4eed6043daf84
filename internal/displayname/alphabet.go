package displayname

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// leet are the customs of writing letters as digits and signs: 1 is an i or an l,
// 7 is a t or an l.
var leet = [...][128]byte{
	signTable(leetSigns + "1i!i|i7t"),
	signTable(leetSigns + "1i!i|i7l"),
	signTable(leetSigns + "1l!l|l7t"),
}

const leetSigns = "0o2z3e4a5s6g8b9g$s+t#h@a<c(c"

// drawn are letters that are drawn with several signs.
var drawn = strings.NewReplacer("()", "o", "[]", "o", "|<", "k", "|{", "k", "|_|", "u", "|)", "d", "|3", "b", `/\`, "a", `\/`, "v", `/-\`, "a", "|-|", "h", "€", "e", "¢", "c", "¥", "y", "£", "l")

// latinLetters are Latin letters without a decomposition, by the plain letters
// that they are read as.
var latinLetters = plainTable(
	"ØO", "øo", "ŁL", "łl", "ĐD", "đd", "ÐD", "ðd", "ĦH", "ħh", "ŦT", "ŧt", "ıi", "ŊN", "ŋn", "ƒf", "ƑF", "ƀb", "ƁB", "ƃb", "Ƈc", "ƈc", "ƉD", "ƊD",
	"ƎE", "ǝe", "Əe", "əe", "Ɛe", "ɛe", "Ɠg", "ɠg", "ɡg", "ƗI", "ɨi", "Ƙk", "ƙk", "ƚl", "ɫl", "ɭl", "Ɯm", "ɯm", "Ɲn", "ɲn", "ƞn", "Ɵo", "ɵo", "ɔo", "Ɔo", "Ƥp", "ƥp",
	"Ʀr", "ɹr", "ɾr", "ʁr", "Ʃs", "ʃs", "ʂs", "Ƭt", "ƭt", "ʇt", "Ʈt", "ʈt", "Ʊu", "ʊu", "ʉu", "Ʌv", "ʌv", "Ʋv", "ʋv", "ʍw", "ɥh", "ɐa", "ɑa", "ʎy", "Ƴy", "ƴy", "Ƶz", "ƶz", "ʐz",
	"ᴀa", "ʙb", "ᴄc", "ᴅd", "ᴇe", "ꜰf", "ɢg", "ʜh", "ɪi", "ᴊj", "ᴋk", "ʟl", "ᴍm", "ɴn", "ᴏo", "ᴘp", "ꞯq", "ʀr", "ꜱs", "ᴛt", "ᴜu", "ᴠv", "ᴡw", "ʏy", "ᴢz",
	"ɓb", "ɖd", "ɗd", "ɦh", "ɩi", "ʝj", "ɰm", "ɱm", "ɳn", "ɽr", "ʄj", "ȷj", "ⱥa", "ɇe", "ɉj", "ɍr", "ɏy", "ꞓc", "Ȼc", "ȼc", "ʞk", "ɟj",
	"ÆAE", "æae", "ŒOE", "œoe", "ẞSS", "ßss", "Þth", "þth", "ʘo", "ᗩa", "ᗷb", "ᑕc", "ᗪd", "ᖴf", "ᕼh", "ᒍj", "ᒪl", "ᗰm", "ᑎn", "ᑭp", "ᖇr", "ᑌu", "ᐯv", "ᗯw", "᙭x",
)

// closeDoubles are letters of other scripts that cannot be told from a Latin one
// at a glance.
var closeDoubles = doubleTable(
	"АaВbЕeКkМmНhОoРpСcТtУyХxІiЈjЅsԌgԚqԜwѴvҮyһhаaеeкkоoрpсcуyхxіiјjѕsԁdԛqԝwѵvүyӏlӀlҺhԍg" + // Cyrillic
		"ΑaΒbΕeΖzΗhΙiΚkΜmΝnΟoΡpΤtΥyΧxαaιiκkνvοoρpυuχxϲcϳjϹcͿj" + // Greek
		"օoսuոnհhցgզqՕoՍuԼlՏsյj" + // Armenian
		"ᎪaᏴbᏟcᎠdᎬeᏀgᎻhᎥiᎫjᏦkᏞlᎷmᏢpᏒrᏚsᎢtᏙvᎳwᏃz" + // Cherokee
		"ꓐbꓑpꓓdꓔtꓖgꓗkꓙjꓚcꓜzꓝfꓟmꓠnꓡlꓢsꓣrꓦvꓧhꓪwꓫxꓬyꓮaꓰeꓲiꓳoꓴu" + // Lisu
		"ⲟoⲞoⲥcⲤcⲣpⲢpⲕkⲔkⲙmⲘmⲛnⲚnⲧtⲦt") // Coptic

// looseDoubles are letters that pass for a Latin one among Latin ones.
var looseDoubles = doubleTable(
	"вbмmнhтtпnгrиuйuзeшwщwцuьbъbыbлnэeєeґrДdдdЗeИnЙnПnФoфoЛaлaЦuШwЩwЯrяrЮoюoбbчyђhћhӡe" +
		"βbγyδdεeζzηnθoλaμuξeπnσoςcτtφoψwωwΔaΘoΛaΞeΠnΣeΦoΨwΩoϕo" +
		"աwբpգqդnեtթpիhլlխuծoկuղnմuնuպwռnվuտmփpքpֆ$" +
		"סoוlןlטuחnתnםoоo")

// signTable reads pairs of an ASCII sign and what it stands for.
func signTable(pairs string) (t [128]byte) {
	for i := 0; i < len(pairs); i += 2 {
		t[pairs[i]] = pairs[i+1]
	}
	return t
}

// doubleTable reads pairs of a letter and its Latin double.
func doubleTable(pairs string) map[rune]rune {
	t, list := map[rune]rune{}, []rune(pairs)
	for i := 0; i < len(list); i += 2 {
		if list[i] < utf8.RuneSelf || list[i+1] >= utf8.RuneSelf {
			panic(fmt.Sprintf("displayname: %q is not a pair of look-alikes", list[i:i+2]))
		}
		t[list[i]] = list[i+1]
	}
	return t
}

// plainTable reads a letter and what it is read as from each text.
func plainTable(list ...string) map[rune]string {
	t := map[rune]string{}
	for _, s := range list {
		r, n := utf8.DecodeRuneInString(s)
		t[r] = s[n:]
	}
	return t
}
