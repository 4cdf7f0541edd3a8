package tabularium.testing;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads and writes the flat objects of control calls, so that the kit needs no library. */
final class Json {
    private static final Pattern ESCAPE = Pattern.compile("\\\\(?:u([0-9a-fA-F]{4})|(.))");

    /** Writes an object of names and texts. */
    static String write(String... pairs) {
        StringBuilder json = new StringBuilder("{");
        for (int at = 0; at < pairs.length; at += 2) {
            json.append(at == 0 ? "" : ",").append(quote(pairs[at])).append(':').append(quote(pairs[at + 1]));
        }
        return json.append('}').toString();
    }

    /** Returns the first text of a name; empty if there is none. */
    static String text(String json, String name) {
        Matcher found = Pattern.compile("\"" + name + "\"\\s*:\\s*\"((?:[^\"\\\\]|\\\\.)*)\"").matcher(json);
        if (!found.find()) return "";
        return ESCAPE.matcher(found.group(1)).replaceAll(escape -> Matcher.quoteReplacement(
                escape.group(1) != null
                        ? String.valueOf((char) Integer.parseInt(escape.group(1), 16))
                        : "n".equals(escape.group(2)) ? "\n" : "t".equals(escape.group(2)) ? "\t" : escape.group(2)));
    }

    private static String quote(String text) {
        StringBuilder json = new StringBuilder("\"");
        for (char one : text.toCharArray()) {
            if (one < ' ' || one == '"' || one == '\\' || Character.isSurrogate(one)) json.append(String.format("\\u%04x", (int) one));
            else json.append(one);
        }
        return json.append('"').toString();
    }
}
