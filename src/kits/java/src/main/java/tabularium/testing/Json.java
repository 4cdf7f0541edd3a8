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
        // Loops without a choice: Java's expressions call themselves for each turn of the others, up to the end of the stack.
        Matcher found = Pattern.compile("\"" + name + "\"\\s*:\\s*\"([^\"\\\\]*+(?:\\\\.[^\"\\\\]*+)*+)\"").matcher(json);
        if (!found.find()) return "";
        return ESCAPE.matcher(found.group(1)).replaceAll(escape -> Matcher.quoteReplacement(
                escape.group(1) != null
                        ? String.valueOf((char) Integer.parseInt(escape.group(1), 16))
                        : escape.group(2).replace('n', '\n').replace('r', '\r').replace('t', '\t').replace('b', '\b').replace('f', '\f')));
    }

    private static String quote(String text) {
        StringBuilder json = new StringBuilder("\"");
        for (char one : text.toCharArray())
            json.append(one < ' ' || one == '"' || one == '\\' || Character.isSurrogate(one) ? String.format("\\u%04x", (int) one) : one);
        return json.append('"').toString();
    }
}
