/**
 * Stores all objects with their latest changes. Each write gets the next revision, which is the resource version of the
 * object. Readers get snapshots, also of a past revision, or wait for changes after a revision.
 */
@NullMarked
package io.numaledger.apiservers.fake.storage;

import org.jspecify.annotations.NullMarked;
