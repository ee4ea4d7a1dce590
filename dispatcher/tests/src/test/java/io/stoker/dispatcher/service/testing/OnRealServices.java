package io.stoker.dispatcher.service.testing;

import io.quarkus.test.common.TestResourceScope;
import io.quarkus.test.common.WithTestResource;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** A Quarkus test on real Kafka, Postgres and Redis, which all such tests share. */
@WithTestResource(value = StackResource.class, scope = TestResourceScope.GLOBAL)
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
public @interface OnRealServices {}
