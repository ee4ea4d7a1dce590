package io.stoker.cli;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import io.stoker.common.fixture.KafkaClients;

/** Commands stand on what they use, and only the program stands on commands. */
@AnalyzeClasses(packages = "io.stoker.cli", importOptions = DoNotIncludeTests.class)
class ArchitectureTest {

  @ArchTest
  static final ArchRule packagesAreFreeOfCycles =
      slices().matching("io.stoker.cli.(**)").should().beFreeOfCycles();

  @ArchTest
  static final ArchRule nothingDependsOnTheProgram =
      noClasses()
          .that()
          .resideOutsideOfPackage("io.stoker.cli")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("io.stoker.cli");

  @ArchTest static final ArchRule onlyKafkaAccessMakesClientsOfKafka = KafkaClients.MADE_ELSEWHERE;
}
