package io.stoker.agent;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.annotation.JsonDeserialize;
import com.fasterxml.jackson.databind.annotation.JsonSerialize;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaMethod;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import io.stoker.agent.attempt.JournalEntry;
import io.stoker.common.json.Json;
import io.stoker.common.message.EventsRecord;
import io.stoker.common.message.HostMessage;
import io.stoker.common.message.LogChunk;
import io.stoker.common.message.PlacementsRecord;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Method;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Properties;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a native image has to be told, as far as that can be checked without building one. */
class NativeImageTest {
  private static final String METADATA =
      "/META-INF/native-image/io.stoker/gpu-agent/reachability-metadata.json";

  private static final List<JavaClass> OWN =
      List.copyOf(
          new ClassFileImporter()
              .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
              .importPackages("io.stoker.agent"));

  private JsonNode metadata;

  @BeforeEach
  void read() throws Exception {
    try (InputStream in = NativeImageTest.class.getResourceAsStream(METADATA)) {
      metadata = Json.read(in.readAllBytes());
    }
  }

  @Test
  void everyTypeAndMethodThatIsListedIsThere() throws Exception {
    for (JsonNode entry : metadata.path("reflection")) {
      Class<?> type = load(entry.path("type").asText());
      for (JsonNode method : entry.path("methods")) {
        String parameters = method.path("parameterTypes").toString();
        assertThat(type.getDeclaredMethods())
            .as(type + " " + method)
            .anyMatch(
                one ->
                    one.getName().equals(method.path("name").asText())
                        && parameters(one).equals(parameters));
      }
    }
  }

  @Test
  void everyFunctionThatIsBoundIsListed() {
    Set<String> bound =
        OWN.stream()
            .flatMap(type -> type.getMethods().stream())
            .filter(method -> method.getModifiers().contains(JavaModifier.NATIVE))
            .map(NativeImageTest::name)
            .collect(Collectors.toSet());

    assertThat(bound).contains("io.stoker.agent.nvml.CoreSymbols.nvmlInit_v2", libc("wait4"));
    assertThat(
            entries()
                .filter(entry -> entry.path("jniAccessible").asBoolean())
                .flatMap(NativeImageTest::methods))
        .containsExactlyInAnyOrderElementsOf(bound);
  }

  private static String libc(String function) {
    return "io.stoker.agent.spawn.Libc." + function;
  }

  @Test
  void whatBindsToCDoesSoWhenItRuns() throws IOException {
    Properties properties = new Properties();
    try (InputStream in = NativeImageTest.class.getResourceAsStream("/application.properties")) {
      properties.load(in);
    }
    String arguments = properties.getProperty("quarkus.native.additional-build-args");
    String option = "--initialize-at-run-time=";

    assertThat(arguments).startsWith(option);
    List<String> late = List.of(arguments.substring(option.length()).split("\\\\,"));
    assertThat(late).contains("com.sun.jna");
    assertThat(OWN)
        .filteredOn(
            type ->
                type.getMethods().stream()
                    .anyMatch(method -> method.getModifiers().contains(JavaModifier.NATIVE)))
        .allSatisfy(type -> assertThat(late).contains(type.getPackageName()));
  }

  @Test
  void everythingThatIsReadOrWrittenAsJsonIsListed() {
    Set<Class<?>> spoken = new HashSet<>();
    for (Class<?> root :
        List.of(
            JournalEntry.class,
            PlacementsRecord.class,
            HostMessage.class,
            EventsRecord.class,
            LogChunk.class)) {
      follow(root, spoken);
    }
    Set<String> listed =
        entries()
            .filter(entry -> entry.path("allDeclaredConstructors").asBoolean())
            .map(entry -> entry.path("type").asText())
            .collect(Collectors.toSet());

    assertThat(spoken).hasSizeGreaterThan(50);
    assertThat(listed).containsAll(spoken.stream().map(Class::getName).toList());
  }

  @Test
  void everyScriptIsTakenAlong() throws IOException {
    List<PathMatcher> globs = new ArrayList<>();
    for (JsonNode entry : metadata.path("resources")) {
      globs.add(FileSystems.getDefault().getPathMatcher("glob:" + entry.path("glob").asText()));
    }
    Path resources = Path.of("src/main/resources");
    try (Stream<Path> files = Files.walk(resources.resolve("io"))) {
      assertThat(files.filter(Files::isRegularFile).map(resources::relativize))
          .isNotEmpty()
          .allMatch(file -> globs.stream().anyMatch(glob -> glob.matches(file)));
    }
  }

  private static void follow(Type type, Set<Class<?>> into) {
    if (type instanceof ParameterizedType given) {
      Stream.of(given.getActualTypeArguments()).forEach(argument -> follow(argument, into));
    }
    if (!(type instanceof Class<?> known)
        || !known.getName().startsWith("io.stoker.")
        || !into.add(known)) {
      return;
    }
    JsonSerialize written = known.getAnnotation(JsonSerialize.class);
    if (written != null) {
      into.add(written.using());
    }
    JsonDeserialize read = known.getAnnotation(JsonDeserialize.class);
    if (read != null && read.builder() != Void.class) {
      into.add(read.builder());
      Stream.of(read.builder().getFields()).forEach(field -> follow(field.getGenericType(), into));
    } else if (known.isRecord()) {
      Stream.of(known.getRecordComponents())
          .map(RecordComponent::getGenericType)
          .forEach(component -> follow(component, into));
    }
    if (known.isSealed()) {
      Stream.of(known.getPermittedSubclasses()).forEach(one -> follow(one, into));
    }
  }

  private Stream<JsonNode> entries() {
    return StreamSupport.stream(metadata.path("reflection").spliterator(), false);
  }

  private static Stream<String> methods(JsonNode entry) {
    return StreamSupport.stream(entry.path("methods").spliterator(), false)
        .map(method -> entry.path("type").asText() + "." + method.path("name").asText());
  }

  private static String parameters(Method method) {
    return Arrays.stream(method.getParameterTypes())
        .map(type -> '"' + type.getTypeName() + '"')
        .collect(Collectors.joining(",", "[", "]"));
  }

  private static String name(JavaMethod method) {
    return method.getOwner().getName() + "." + method.getName();
  }

  private static Class<?> load(String name) throws ClassNotFoundException {
    return Class.forName(name, false, NativeImageTest.class.getClassLoader());
  }
}
