package io.stoker.dispatcher.service;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.methods;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import io.stoker.common.fixture.KafkaClients;

/** Where the borders within the service are; the one to the core is the compiler's. */
@AnalyzeClasses(packages = "io.stoker.dispatcher.service", importOptions = DoNotIncludeTests.class)
class ArchitectureTest {
  @ArchTest
  static final ArchRule noPackagesAreInACircle =
      slices().matching("io.stoker.dispatcher.service.(*)..").should().beFreeOfCycles();

  @ArchTest
  static final ArchRule onlyOnePackageKnowsRedis =
      noClasses()
          .that()
          .resideOutsideOfPackage("io.stoker.dispatcher.service.redis")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("io.vertx.redis..", "io.vertx.mutiny.redis..", "io.quarkus.redis..");

  @ArchTest
  static final ArchRule onlyThePageDependsOnRest =
      noClasses()
          .that()
          .resideOutsideOfPackages(
              "io.stoker.dispatcher.service.rest", "io.stoker.dispatcher.service.page")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("io.stoker.dispatcher.service.rest", "jakarta.ws.rs..");

  @ArchTest
  static final ArchRule entitiesStayWithTheirStatements =
      classes()
          .that()
          .areAnnotatedWith(jakarta.persistence.Entity.class)
          .should()
          .resideInAPackage("io.stoker.dispatcher.service.postgres")
          .andShould()
          .bePackagePrivate();

  @ArchTest
  static final ArchRule everyDurationOfASettingIsHeldToWhatItMayBe =
      methods()
          .that()
          .haveRawReturnType(java.time.Duration.class)
          .and()
          .areDeclaredInClassesThat()
          .resideInAPackage("io.stoker.dispatcher.service.config")
          .and()
          .areDeclaredInClassesThat()
          .areInterfaces()
          .should()
          .beAnnotatedWith(io.smallrye.config.WithConverter.class);

  @ArchTest static final ArchRule onlyKafkaAccessMakesClientsOfKafka = KafkaClients.MADE_ELSEWHERE;
}
