package io.stoker.e2e.stack;

import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * Gives tests the one stack that all of them share: started with the first that asks, stopped when
 * all tests are over. Whoever uses it leaves it serving, and takes ids and scripts of its own.
 */
public final class SharedStack implements ParameterResolver {
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

  private static StokerStack start() {
    try {
      return StokerStack.start("shared", StokerStack.twoOfEach());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    } catch (java.io.IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }
}
