package io.stoker.e2e.stack;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Marks tests that have a stack of their own, or need none: they run beside those on the {@link
 * SharedStack}, and change nothing that outlives their class or that others see.
 *
 * <p>The methods of such a class run at once, too, on whatever it shares among them; those that
 * must not are {@link Execution} in the same thread.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Execution(ExecutionMode.CONCURRENT)
public @interface BesideTheSharedStack {}
