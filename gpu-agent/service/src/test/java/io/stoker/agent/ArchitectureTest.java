package io.stoker.agent;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.methods;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import io.stoker.common.fixture.KafkaClients;

/** The borders of the packages around the core, which is among the classes that are looked at. */
@AnalyzeClasses(packages = "io.stoker.agent", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {

  @ArchTest
  static final ArchRule packagesAreFreeOfCycles =
      slices().matching("io.stoker.agent.(*)..").should().beFreeOfCycles();

  @ArchTest
  static final ArchRule jnaStaysInsideNvml =
      noClasses()
          .that()
          .resideOutsideOfPackages("io.stoker.agent.nvml..", "io.stoker.agent.spawn..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("com.sun.jna..");

  @ArchTest
  static final ArchRule nvmlKnowsNothingOfTheAgent =
      noClasses()
          .that()
          .resideInAPackage("io.stoker.agent.nvml..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("io.stoker.agent.device..", "io.stoker.common..");

  @ArchTest
  static final ArchRule kafkaAndQuarkusStayInThreePackages =
      noClasses()
          .that()
          .resideOutsideOfPackages(
              "io.stoker.agent.app..", "io.stoker.agent.kafka..", "io.stoker.agent.config..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(
              "io.quarkus..",
              "jakarta..",
              "org.apache.kafka..",
              "org.eclipse.microprofile..",
              "io.smallrye..",
              "io.vertx..");

  @ArchTest
  static final ArchRule everyDurationOfASettingIsHeldToWhatItMayBe =
      methods()
          .that()
          .haveRawReturnType(java.time.Duration.class)
          .and()
          .areDeclaredInClassesThat()
          .resideInAPackage("io.stoker.agent.config")
          .and()
          .areDeclaredInClassesThat()
          .areInterfaces()
          .should()
          .beAnnotatedWith(io.smallrye.config.WithConverter.class);

  @ArchTest static final ArchRule onlyKafkaAccessMakesClientsOfKafka = KafkaClients.MADE_ELSEWHERE;
}
