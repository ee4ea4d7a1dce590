package io.stoker.e2e.stack;

import io.stoker.e2e.Checkout;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * Gives tests the one stack that all of them share: started with the first that asks, stopped when
 * all tests are over. Whoever uses it leaves it serving, and takes ids and scripts of its own.
 *
 * <p>It is a secure one, as {@code stoker up --secure} starts it: TLS, logins and rights of Kafka,
 * and tokens of REST, so that all that is shown on it is shown with them. Stacks that tests have of
 * their own are open.
 */
public final class SharedStack implements ParameterResolver, AfterEachCallback {
  /** A copy of examples/kinds that its dispatchers have, for who changes it and changes it back. */
  public static final Path KINDS = Checkout.root().resolve("e2e/target/kinds.yaml");

  /** For {@code SecureStackTest} alone. */
  private static final Map<String, String> QUEUES =
      Stream.of("secure", "secured", "denied-create", "denied-write")
          .collect(Collectors.toMap("stoker.queues.%s.open"::formatted, name -> "true"));

  private static final Namespace NAMESPACE = Namespace.create(SharedStack.class);

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    return parameter.getParameter().getType() == StokerStack.class;
  }

  @Override
  public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
    return context
        .getRoot()
        .getStore(NAMESPACE)
        .getOrComputeIfAbsent(StokerStack.class, type -> start(), StokerStack.class);
  }

  @Override
  public void afterEach(ExtensionContext context) {
    if (context.getExecutionException().isPresent()) {
      context
          .getRoot()
          .getStore(NAMESPACE)
          .get(StokerStack.class, StokerStack.class)
          .endWhatIsLeft();
    }
  }

  private static StokerStack start() {
    try {
      Path example = Checkout.examples().resolve("kinds/kinds.yaml");
      Files.copy(example, KINDS, StandardCopyOption.REPLACE_EXISTING);
      return StokerStack.start(
          "shared",
          StokerStack.twoOfEach()
              .withSecure(!Boolean.getBoolean("stoker.e2e.open"))
              .withSettings(QUEUES)
              .withDispatcherEnvironment(
                  Map.of(
                      "STOKER_KINDS_FILE", KINDS.toString(), "STOKER_STATUS_TOPICS", "per-queue")));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
