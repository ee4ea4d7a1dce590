/** Words to tell scenarios of the deciders in: builders, and a stand-in for the database. */
package io.stoker.dispatcher.scenario;
