package tabularium.testing;

/** The server cannot be started or asked. The message says how to fix that. */
public final class TabulariumException extends RuntimeException {
    TabulariumException(String message, Throwable cause) {
        super(message, cause);
    }
}
