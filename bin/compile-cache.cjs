// Keeps what Node.js makes of the modules that are loaded after this, types stripped and compiled: beside the packages or, where nothing can be
// written there, in the user's cache folder; nowhere, and slower, where neither can be written. Never in a folder that others can write to.
// NODE_COMPILE_CACHE names another folder, NODE_DISABLE_COMPILE_CACHE=1 turns it off. Plain JavaScript: a TypeScript module would load the
// stripper of types (17 MB, 20 ms) only to be read itself.
'use strict'
const { constants, enableCompileCache, flushCompileCache } = require('node:module')
const { homedir } = require('node:os')
const { join } = require('node:path')

/** By then what was just started has loaded what it needs. */
const WARM_MS = 2000

exports.useCompileCache = () => {
  if (process.env.NODE_COMPILE_CACHE !== undefined) return
  const own = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'veridict')
  const folders = [join(__dirname, '..', 'node_modules', '.cache', 'veridict'), own]
  const isOn = folders.some((folder) => enableCompileCache(folder).status !== constants.compileCacheStatus.FAILED)
  // Written once while it runs, too: a service may be killed, and would begin slowly again.
  if (isOn) setTimeout(flushCompileCache, WARM_MS).unref()
}
