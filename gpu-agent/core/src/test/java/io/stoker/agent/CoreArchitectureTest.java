package io.stoker.agent;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.constructors;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import io.stoker.agent.attempt.Phase;
import java.time.Clock;
import java.time.Instant;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;

/** The borders within the core; the compiler sees to it that it knows no framework. */
@AnalyzeClasses(
    packages = "io.stoker.agent",
    importOptions = {ImportOption.DoNotIncludeTests.class, ImportOption.DoNotIncludeJars.class})
class CoreArchitectureTest {
  private static final String[] DECIDERS = {
    "io.stoker.agent.attempt..",
    "io.stoker.agent.device..",
    "io.stoker.agent.gate..",
    "io.stoker.agent.policy..",
    "io.stoker.agent.pool..",
    "io.stoker.agent.staged.."
  };

  @ArchTest
  static final ArchRule packagesAreFreeOfCycles =
      slices().matching("io.stoker.agent.(*)..").should().beFreeOfCycles();

  @ArchTest
  static final ArchRule phasesAreMadeByThoseBeforeThem =
      constructors()
          .that()
          .areDeclaredInClassesThat()
          .areAssignableTo(Phase.class)
          .should()
          .onlyBeCalled()
          .byClassesThat()
          .areAssignableTo(Phase.class);

  @ArchTest
  static final ArchRule decidersDoNothing =
      noClasses()
          .that()
          .resideInAnyPackage(DECIDERS)
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("java.io..", "java.nio..", "java.net..", "java.util.concurrent..");

  @ArchTest
  static final ArchRule decidersKnowNoClockAndNoChance =
      noClasses()
          .that()
          .resideInAnyPackage(DECIDERS)
          .should()
          .callMethod(System.class, "currentTimeMillis")
          .orShould()
          .callMethod(System.class, "nanoTime")
          .orShould()
          .callMethod(Instant.class, "now")
          .orShould()
          .callMethod(Math.class, "random")
          .orShould()
          .callMethod(UUID.class, "randomUUID")
          .orShould()
          .dependOnClassesThat()
          .belongToAnyOf(Clock.class, ThreadLocalRandom.class);

  @ArchTest
  static final ArchRule decidersKnowNothingOfWhoDrivesThem =
      noClasses()
          .that()
          .resideInAnyPackage(DECIDERS)
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(
              "io.stoker.agent.report..", "io.stoker.agent.lease..", "io.stoker.agent.loop..");
}
