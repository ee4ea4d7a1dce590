package io.stoker.dispatcher.service;

import static com.tngtech.archunit.core.domain.JavaCall.Predicates.target;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.name;
import static com.tngtech.archunit.core.domain.properties.HasOwner.Predicates.With.owner;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

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
  static final ArchRule nobodyDependsOnRest =
      noClasses()
          .that()
          .resideOutsideOfPackage("io.stoker.dispatcher.service.rest")
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

  /** One place knows addresses, TLS and logins. */
  @ArchTest
  static final ArchRule onlyKafkaAccessMakesClientsOfKafka =
      noClasses()
          .should()
          .callConstructorWhere(
              target(owner(assignableTo("org.apache.kafka.clients.consumer.Consumer")))
                  .or(target(owner(assignableTo("org.apache.kafka.clients.producer.Producer"))))
                  .or(target(owner(assignableTo("org.apache.kafka.clients.admin.Admin")))))
          .orShould()
          .callMethodWhere(
              target(owner(assignableTo("org.apache.kafka.clients.admin.Admin")))
                  .and(target(name("create"))));
}
