package io.stoker.dispatcher.service.page;

/**
 * The person who looks at a view.
 *
 * @param name by the token; null where nobody is asked for one
 * @param submits whether their role lets them change requests that are theirs
 * @param operates whether it lets them change hosts
 * @param key that each form carries
 * @param at the address of the view, by which it is to be had as JSON, too
 */
public record Viewer(String name, boolean submits, boolean operates, String key, String at) {}
