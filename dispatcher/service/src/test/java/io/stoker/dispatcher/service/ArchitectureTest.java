package io.stoker.dispatcher.service;

import static com.tngtech.archunit.lang.SimpleConditionEvent.violated;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.methods;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.JavaMethod;
import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import io.stoker.common.fixture.KafkaClients;
import jakarta.ws.rs.QueryParam;
import java.lang.reflect.Parameter;
import java.util.Set;

/** Where the borders within the service are; the one to the core is the compiler's. */
@AnalyzeClasses(packages = "io.stoker.dispatcher.service", importOptions = DoNotIncludeTests.class)
class ArchitectureTest {
  /** Of what is true or false CallRules refuses all else. */
  private static final Set<String> READ_BY_US =
      Set.of(
          "boolean",
          "java.lang.Boolean",
          "java.lang.String",
          "java.util.List<java.lang.String>",
          "java.util.Optional<java.lang.String>");

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

  /** One that is not what it should be would be answered as if there were no such call. */
  @ArchTest
  static final ArchRule parametersOfQueriesAreReadAsText =
      methods()
          .that()
          .areDeclaredInClassesThat()
          .resideInAnyPackage(
              "io.stoker.dispatcher.service.rest", "io.stoker.dispatcher.service.page")
          .should(
              new ArchCondition<>("take parameters of a query as text, or as true or false") {
                @Override
                public void check(JavaMethod method, ConditionEvents events) {
                  for (Parameter one : method.reflect().getParameters()) {
                    if (one.isAnnotationPresent(QueryParam.class)
                        && !READ_BY_US.contains(one.getParameterizedType().getTypeName())) {
                      events.add(violated(method, method.getFullName() + ": " + one));
                    }
                  }
                }
              });

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
