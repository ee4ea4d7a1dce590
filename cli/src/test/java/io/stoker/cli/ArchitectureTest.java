package io.stoker.cli;

import static com.tngtech.archunit.core.domain.JavaCall.Predicates.target;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.name;
import static com.tngtech.archunit.core.domain.properties.HasOwner.Predicates.With.owner;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

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
