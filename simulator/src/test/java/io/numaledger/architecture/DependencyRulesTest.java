package io.numaledger.architecture;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

/** Arrows point one way: from the programs to the features to the core. */
@AnalyzeClasses(packages = "io.numaledger", importOptions = ImportOption.DoNotIncludeTests.class)
class DependencyRulesTest {

    private static final String[] CORE = {
        "io.numaledger.topology..",
        "io.numaledger.placement..",
        "io.numaledger.kubelet..",
        "io.numaledger.pod..",
        "io.numaledger.ledger..",
        "io.numaledger.counts..",
        "io.numaledger.gpu.."
    };

    @ArchTest
    static final ArchRule theCoreImportsNothingButTheJdkAndItself =
            classes().that().resideInAnyPackage(CORE).should().onlyDependOnClassesThat(inAnyOf("java..", CORE));

    @ArchTest
    static final ArchRule theCoreHasNoClockNoThreadAndNoFile = noClasses()
            .that()
            .resideInAnyPackage(CORE)
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(
                    "java.io..", "java.nio.file..", "java.net..", "java.util.concurrent..", "java.util.logging..");

    @ArchTest
    static final ArchRule wireMessagesEndAtTheSocket = noClasses()
            .that()
            .resideOutsideOfPackages(
                    "io.numaledger.podresources..",
                    "io.numaledger.deviceplugin..",
                    "io.numaledger.simulator..",
                    "io.numaledger.e2e..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("io.numaledger.podresources.v1..", "io.grpc..", "com.google.protobuf..");

    @ArchTest
    static final ArchRule recordsKnowNoProgram = noClasses()
            .that()
            .resideInAnyPackage("io.numaledger.nrt..", "io.numaledger.annotation..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(
                    "io.numaledger.agent..",
                    "io.numaledger.podresources..",
                    "io.numaledger.simulator..",
                    "io.numaledger.bridge..");

    @ArchTest
    static final ArchRule theAgentDoesNotKnowTheSimulatorOrTheBridge = noClasses()
            .that()
            .resideInAPackage("io.numaledger.agent..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("io.numaledger.simulator..", "io.numaledger.bridge..");

    private static DescribedPredicate<JavaClass> inAnyOf(String first, String... more) {
        String[] all = new String[more.length + 1];
        all[0] = first;
        System.arraycopy(more, 0, all, 1, more.length);
        return JavaClass.Predicates.resideInAnyPackage(all);
    }
}
