package io.numaledger.architecture;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.CompositeArchRule;

import java.time.Clock;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ExecutorService;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

/** Dependencies point one way: from the programs to the features to the core. This module sees the classes of all others. */
@AnalyzeClasses(packages = "io.numaledger", importOptions = ImportOption.DoNotIncludeTests.class)
class DependencyRulesTest {

    private static final String[] CORE = {
        "io.numaledger.resource..",
        "io.numaledger.topology..",
        "io.numaledger.placement..",
        "io.numaledger.kubelet..",
        "io.numaledger.pod..",
        "io.numaledger.fastpath..",
        "io.numaledger.gpu..",
        "io.numaledger.text.."
    };

    @ArchTest
    static final ArchRule theCoreImportsNothingButTheJdkAndItself = classes()
            .that()
            .resideInAnyPackage(CORE)
            .should()
            .onlyDependOnClassesThat(coreAnd("java..", "org.jspecify.."));

    @ArchTest
    static final ArchRule theCoreHasNoClockNoThreadAndNoFile = noClasses()
            .that()
            .resideInAnyPackage(CORE)
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(
                    "java.io..", "java.nio.file..", "java.net..", "java.util.concurrent..", "java.util.logging..");

    /** The packages of {@code node-evaluation}, each of which uses only those before it. */
    private static final List<String> VALUES =
            names("evaluation", "facts budget claim cel alignment holder snapshot spread score link fit");

    /** Those of {@code scheduling}, which use these. */
    private static final List<String> SCHEDULING = names(
            "scheduling",
            "pool dra topology state audit batch preemption healing queue group gang gated stranded rehearsal scheduler explain");

    /** What the bridge's API and recordings say, which {@code kubectl numa} reads. */
    private static final List<String> API_OBJECTS = names("apiobjects", "recording view");

    /** The packages of the bridge, which uses all of these and the readers of Kubernetes objects. */
    private static final List<String> BRIDGE =
            names("bridge", "certificate client extender server metrics replica access aggregated watch run cli");

    private static final List<String> LAYERS = Stream.of(VALUES, List.of("objects"), SCHEDULING, API_OBJECTS, BRIDGE)
            .flatMap(List::stream)
            .toList();

    private static final String[] JDK_AND_RECORDS = {
        "java..", "org.jspecify..", "io.numaledger.nrt..", "io.numaledger.annotation.."
    };

    @ArchTest
    static final ArchRule eachPackageOfTheBridgeHasALayer = classes()
            .that()
            .resideInAnyPackage(
                    "io.numaledger.bridge.*..",
                    "io.numaledger.evaluation..",
                    "io.numaledger.scheduling..",
                    "io.numaledger.apiobjects..")
            .should()
            .resideInAnyPackage(packages(LAYERS));

    @ArchTest
    static final ArchRule packagesOfTheBridgeUseThoseOfLowerLayers =
            CompositeArchRule.of(IntStream.range(0, LAYERS.size() - 1)
                    .mapToObj(DependencyRulesTest::usesLowerLayers)
                    .toList());

    private static ArchRule usesLowerLayers(int layer) {
        return noClasses()
                .that()
                .resideInAnyPackage(packages(LAYERS.subList(layer, layer + 1)))
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(packages(LAYERS.subList(layer + 1, LAYERS.size())));
    }

    @ArchTest
    static final ArchRule nodeEvaluationIsValuesOnly = classes()
            .that()
            .resideInAnyPackage(packages(VALUES))
            .should()
            .onlyDependOnClassesThat(coreAnd(JDK_AND_RECORDS).or(inAny(VALUES)));

    @ArchTest
    static final ArchRule nodeEvaluationHasNoClockNoThreadAndNoFile = noClasses()
            .that()
            .resideInAnyPackage(packages(VALUES))
            .should()
            .dependOnClassesThat(JavaClass.Predicates.resideInAnyPackage(
                            "java.io..", "java.nio.file..", "java.net..", "java.util.concurrent.locks..")
                    .or(JavaClass.Predicates.belongToAnyOf(
                            Clock.class, InstantSource.class, Thread.class, ExecutorService.class)));

    @ArchTest
    static final ArchRule schedulingKnowsTheJdkAndALogger = classes()
            .that()
            .resideInAnyPackage(packages(SCHEDULING))
            .should()
            .onlyDependOnClassesThat(coreAnd(JDK_AND_RECORDS)
                    .or(inAny(VALUES))
                    .or(inAny(SCHEDULING))
                    .or(JavaClass.Predicates.resideInAPackage("org.slf4j..")));

    private static List<String> names(String root, String packages) {
        return Stream.of(packages.split(" ")).map(each -> root + "." + each).toList();
    }

    private static DescribedPredicate<JavaClass> inAny(List<String> names) {
        return JavaClass.Predicates.resideInAnyPackage(packages(names));
    }

    private static String[] packages(List<String> names) {
        return names.stream().map("io.numaledger.%s.."::formatted).toArray(String[]::new);
    }

    /** Who sees a class's package knows its module. */
    @ArchTest
    static final void eachRootPackageBelongsToOneModule(JavaClasses classes) {
        Map<String, Set<String>> modules = new TreeMap<>();
        for (JavaClass each : classes) {
            String root = each.getPackageName().split("\\.")[2];
            each.getSource()
                    .map(source -> source.getUri().toString().replaceFirst("/target/.*", ""))
                    .ifPresent(module -> modules.computeIfAbsent(root, any -> new TreeSet<>())
                            .add(module));
        }
        assertThat(modules).isNotEmpty().allSatisfy((root, of) -> assertThat(of).hasSize(1));
    }

    @ArchTest
    static final ArchRule wireMessagesEndAtTheSocket = noClasses()
            .that()
            .resideOutsideOfPackages(
                    "io.numaledger.podresources..", "io.numaledger.deviceplugin..", "io.numaledger.simulator..")
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
                    "io.numaledger.evaluation..",
                    "io.numaledger.objects..",
                    "io.numaledger.scheduling..",
                    "io.numaledger.apiobjects..",
                    "io.numaledger.bridge..");

    @ArchTest
    static final ArchRule theAgentKnowsNeitherTheBridgeNorTheModulesAbove =
            doesNotKnow("agent", "scheduling", "bridge", "simulator", "images", "benchmarks");

    @ArchTest
    static final ArchRule theBridgeKnowsNeitherTheAgentNorTheModulesAbove =
            doesNotKnow("bridge", "agent", "kubectl", "simulator", "images", "benchmarks");

    @ArchTest
    static final ArchRule kubectlNumaKnowsNeitherTheAgentNorTheModulesAbove =
            doesNotKnow("kubectl", "agent", "simulator", "images", "benchmarks");

    @ArchTest
    static final ArchRule kubectlNumaStartsNoServer = noClasses()
            .that()
            .resideInAPackage("io.numaledger.kubectl..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("io.netty..", "io.numaledger.bridge.server..", "io.numaledger.bridge.run..");

    @ArchTest
    static final ArchRule theSimulatorDoesNotKnowTheModulesAbove = doesNotKnow("simulator", "images", "benchmarks");

    @ArchTest
    static final ArchRule imagesDoNotKnowTheBenchmarks = doesNotKnow("images", "benchmarks");

    @ArchTest
    static final ArchRule onlyTheBenchmarksUseJmh = noClasses()
            .that()
            .resideOutsideOfPackage("io.numaledger.benchmarks.jmh..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("org.openjdk.jmh..");

    @ArchTest
    static final ArchRule packagesOfAModuleFormNoCycle = CompositeArchRule.of(noCycleIn("agent"))
            .and(noCycleIn("simulator"))
            .and(noCycleIn("bridge"))
            .and(noCycleIn("evaluation"))
            .and(noCycleIn("scheduling"))
            .and(noCycleIn("apiobjects"))
            .and(noCycleIn("kubectl"))
            .and(noCycleIn("images"))
            .and(noCycleIn("benchmarks"));

    @ArchTest
    static final ArchRule gangsAndGatedGroupsDoNotKnowEachOther = CompositeArchRule.of(
                    doesNotKnow("scheduling.gang", "scheduling.gated"))
            .and(doesNotKnow("scheduling.gated", "scheduling.gang"))
            .and(doesNotKnow("scheduling.group", "scheduling.gang", "scheduling.gated"));

    private static ArchRule doesNotKnow(String module, String... others) {
        return noClasses()
                .that()
                .resideInAPackage("io.numaledger.%s..".formatted(module))
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        Stream.of(others).map("io.numaledger.%s.."::formatted).toArray(String[]::new));
    }

    /** The root package of a module holds its main class, which knows the other packages and is known by none. */
    private static ArchRule noCycleIn(String module) {
        String root = "io.numaledger." + module;
        return CompositeArchRule.of(slices().matching(root + ".(*)..").should().beFreeOfCycles())
                .and(noClasses()
                        .that()
                        .resideInAPackage(root + ".*..")
                        .should()
                        .dependOnClassesThat()
                        .resideInAPackage(root));
    }

    @ArchTest
    static final ArchRule whatProgramsShareImportsNothingOfOurs = CompositeArchRule.of(
                    importsNothingOfOurs("io.numaledger.cli.."))
            .and(importsNothingOfOurs("io.numaledger.connection.."))
            .and(importsNothingOfOurs("io.numaledger.tls.."));

    /** It gives pods the QoS class that the core computes from their requests and limits. */
    @ArchTest
    static final ArchRule theFakeApiServerImportsNothingOfOursButTheRequestsOfPods =
            importsNothingOfOurs("io.numaledger.apiservers.fake..", "io.numaledger.pod..");

    @ArchTest
    static final ArchRule theRealApiServerImportsNothingOfOursButWaits = noClasses()
            .that()
            .resideInAPackage("io.numaledger.apiservers.real..")
            .should()
            .dependOnClassesThat(JavaClass.Predicates.resideInAPackage("io.numaledger..")
                    .and(JavaClass.Predicates.resideOutsideOfPackages(
                            "io.numaledger.apiservers.real..", "io.numaledger.apiservers.wait..")));

    @ArchTest
    static final ArchRule waitsImportNothingOfOurs = importsNothingOfOurs("io.numaledger.apiservers.wait..");

    @ArchTest
    static final ArchRule theFakeApiServerHasNoPackageCycles =
            slices().matching("io.numaledger.apiservers.fake.(*)..").should().beFreeOfCycles();

    @ArchTest
    static final ArchRule thePackagesOfTheFakeApiServerDoNotUseItsEntry = noClasses()
            .that()
            .resideInAPackage("io.numaledger.apiservers.fake.*..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("io.numaledger.apiservers.fake");

    @ArchTest
    static final ArchRule theProgramsUseNoServerOfTests = noClasses()
            .that()
            .resideInAnyPackage(
                    "io.numaledger.agent..",
                    "io.numaledger.bridge..",
                    "io.numaledger.kubectl..",
                    "io.numaledger.nrt..",
                    "io.numaledger.annotation..",
                    "io.numaledger.podresources")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(
                    "io.numaledger.apiservers.fake..",
                    "io.numaledger.apiservers.real..",
                    "io.numaledger.apiservers.wait..",
                    "io.numaledger.podresources.server..");

    private static ArchRule importsNothingOfOurs(String packages, String... but) {
        return noClasses()
                .that()
                .resideInAPackage(packages)
                .should()
                .dependOnClassesThat(JavaClass.Predicates.resideInAPackage("io.numaledger..")
                        .and(JavaClass.Predicates.resideOutsideOfPackages(
                                Stream.concat(Stream.of(packages, "io.numaledger.text.."), Stream.of(but))
                                        .toArray(String[]::new))));
    }

    private static DescribedPredicate<JavaClass> coreAnd(String... more) {
        return JavaClass.Predicates.resideInAnyPackage(
                Stream.concat(Stream.of(CORE), Stream.of(more)).toArray(String[]::new));
    }
}
