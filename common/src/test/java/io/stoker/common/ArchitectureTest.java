package io.stoker.common;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** The vocabulary is plain Java: everyone may depend on it, because it brings next to nothing. */
@AnalyzeClasses(packages = "io.stoker.common", importOptions = DoNotIncludeTests.class)
class ArchitectureTest {

  @ArchTest
  static final ArchRule dependsOnTheJdkJacksonAndTheCanonicalisationAlone =
      classes()
          .should()
          .onlyDependOnClassesThat()
          .resideInAnyPackage(
              "io.stoker.common..",
              "java..",
              "javax.crypto..",
              "com.fasterxml.jackson..",
              "org.erdtman.jcs..");

  @ArchTest
  static final ArchRule packagesAreFreeOfCycles =
      slices().matching("io.stoker.common.(*)..").should().beFreeOfCycles();
}
