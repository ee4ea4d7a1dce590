/** A virtual fleet for long, seeded runs of the placement pass alone. */
package io.stoker.dispatcher.fleet;
