// Keeps the compiled code of the modules that are loaded after this one: beside the packages, or in the user's cache folder if nothing can be
// written there. NODE_COMPILE_CACHE names another folder, NODE_DISABLE_COMPILE_CACHE=1 turns the cache off. Plain JavaScript: Node.js would
// load its stripper of types (17 MB, 20 ms) to read a TypeScript module.
'use strict'
const { constants, enableCompileCache, flushCompileCache } = require('node:module')
const { homedir } = require('node:os')
const { join } = require('node:path')

/** Time after which a process has loaded its modules. */
const WARM_MS = 2000

exports.useCompileCache = () => {
  if (process.env.NODE_COMPILE_CACHE !== undefined) return
  const own = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'veridict')
  const folders = [join(__dirname, '..', 'node_modules', '.cache', 'veridict'), own]
  const isOn = folders.some((folder) => enableCompileCache(folder).status !== constants.compileCacheStatus.FAILED)
  // The cache is written while the process runs, too: a killed service would start slowly again.
  if (isOn) setTimeout(flushCompileCache, WARM_MS).unref()
}
