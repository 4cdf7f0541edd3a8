package tabularium.testing;

import java.lang.reflect.Constructor;
import java.util.Optional;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.platform.commons.support.AnnotationSupport;

/** Gives each test with a parameter {@link TabulariumBranch} an account of its own, and a failed test the reasons of its rejections. */
public final class TabulariumExtension implements ParameterResolver, AfterEachCallback {
    private static final Namespace OWN = Namespace.create(TabulariumExtension.class);

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext test) {
        return parameter.getParameter().getType() == TabulariumBranch.class;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext test) {
        if (parameter.getDeclaringExecutable() instanceof Constructor) {
            throw new TabulariumException("A constructor runs before JUnit knows its test. Take the branch in the test method or in @BeforeEach.", null);
        }
        // The store of a test has the contents of that of its class, where the branch of @BeforeAll is.
        return test.getStore(OWN).getOrComputeIfAbsent(test.getUniqueId(), key -> create(test), TabulariumBranch.class);
    }

    /** Runs after {@code @AfterEach}, but before the stores of the test are closed, so the branch is still there. */
    @Override
    public void afterEach(ExtensionContext test) {
        TabulariumBranch branch = test.getStore(OWN).get(test.getUniqueId(), TabulariumBranch.class);
        Optional<Throwable> failure = test.getExecutionException();
        String text = branch == null || failure.isEmpty() ? "" : branch.explain();
        if (text.isEmpty()) return;
        test.publishReportEntry("tabularium", text);
        // Runners print suppressed exceptions below the failure, but not report entries.
        failure.get().addSuppressed(new TabulariumException("\n" + text, null));
    }

    private static TabulariumBranch create(ExtensionContext test) {
        String name = test.getRequiredTestClass().getSimpleName() + "." + test.getDisplayName().replaceFirst("\\(\\w*Branch\\)$", "");
        Optional<BranchFrom> from = AnnotationSupport.findAnnotation(test.getElement(), BranchFrom.class)
                .or(() -> AnnotationSupport.findAnnotation(test.getTestClass(), BranchFrom.class));
        return TabulariumServer.shared().branch(name, from.map(BranchFrom::value).orElse("empty"));
    }
}
