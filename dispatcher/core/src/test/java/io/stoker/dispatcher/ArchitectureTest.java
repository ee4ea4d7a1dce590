package io.stoker.dispatcher;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.constructors;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import io.stoker.dispatcher.model.AttemptRow;
import io.stoker.dispatcher.model.HostGrant;
import java.time.Instant;

/** What the core's class path does not see to by itself. */
@AnalyzeClasses(packages = "io.stoker.dispatcher", importOptions = DoNotIncludeTests.class)
class ArchitectureTest {
  @ArchTest
  static final ArchRule noPackagesAreInACircle =
      slices().matching("io.stoker.dispatcher.(**)").should().beFreeOfCycles();

  @ArchTest
  static final ArchRule statesAreReachedByTheirStepsAlone =
      constructors()
          .that()
          .areDeclaredInClassesThat()
          .belongToAnyOf(HostGrant.class, AttemptRow.Heard.class)
          .should()
          .onlyBeCalled()
          .byClassesThat()
          .belongToAnyOf(HostGrant.class, AttemptRow.class);

  @ArchTest
  static final ArchRule whatDecidesAsksNoClock =
      noClasses()
          .that()
          .resideOutsideOfPackage("io.stoker.dispatcher.runtime")
          .should()
          .callMethod(System.class, "currentTimeMillis")
          .orShould()
          .callMethod(System.class, "nanoTime")
          .orShould()
          .callMethod(Instant.class, "now");

  @ArchTest
  static final ArchRule whatDecidesWaitsForNothing =
      noClasses()
          .that()
          .resideOutsideOfPackages(
              "io.stoker.dispatcher.runtime",
              "io.stoker.dispatcher.store",
              "io.stoker.dispatcher.coordinator..")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("io.smallrye..");
}
