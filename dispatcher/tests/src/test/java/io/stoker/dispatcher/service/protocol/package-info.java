/** The protocol's promises, each by its name, on real Kafka and Postgres. */
package io.stoker.dispatcher.service.protocol;
