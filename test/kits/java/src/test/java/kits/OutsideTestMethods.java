package kits;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.azure.data.tables.models.TableEntity;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import tabularium.testing.BranchFrom;
import tabularium.testing.TabulariumBranch;
import tabularium.testing.TabulariumExtension;

/** Test classes that take a branch outside test methods. {@link KitTest} runs them. */
final class OutsideTestMethods {
    @ExtendWith(TabulariumExtension.class)
    static class BeforeEachFails {
        @BeforeEach
        void fill(TabulariumBranch branch) {
            insert(branch);
        }

        @Test
        void test() {}
    }

    @ExtendWith(TabulariumExtension.class)
    static class AfterEachFails {
        @Test
        void test() {}

        @AfterEach
        void check(TabulariumBranch branch) {
            insert(branch);
        }
    }

    @ExtendWith(TabulariumExtension.class)
    static class BeforeAllFills {
        @BeforeAll
        static void fill(TabulariumBranch branch) {
            KitTest.service(branch).createTable("Books");
            branch.server().snapshot("filled", branch.account());
        }

        @RepeatedTest(2)
        @BranchFrom("filled")
        void insertsWhatTheOtherInserts(TabulariumBranch branch) {
            insert(branch);
            assertEquals("", branch.explain());
        }
    }

    @ExtendWith(TabulariumExtension.class)
    static class InConstructor {
        InConstructor(TabulariumBranch branch) {}

        @Test
        void test() {}
    }

    private static void insert(TabulariumBranch branch) {
        KitTest.service(branch).getTableClient("Books").createEntity(new TableEntity("math", "1"));
    }
}
