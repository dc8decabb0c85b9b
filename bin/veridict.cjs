#!/usr/bin/env node
// Runs the command of a clone and of the package. Plain old JavaScript, so that an old Node.js can still print the message.
'use strict'
const { existsSync } = require('node:fs')
const { join } = require('node:path')

const has = (path) => existsSync(join(__dirname, path))
const args = process.argv.slice(2)
if (args.length === 1 && (args[0] === '--version' || args[0] === '-V')) console.log(require('../package.json').version)
else {
  // The variables of npx reach every process below it: only npx of this very command, and of it alone, is its parent’s parent.
  const { npm_lifecycle_event: event, npm_lifecycle_script: script = '' } = process.env
  if (event === 'npx' && /^'?veridict'?(?: [^&;|]*)?$/.test(script) && !process.env.VERIDICT_LAUNCHER) endWithShell()
  if (has('../dist/cli.js') && !has('../src/cli.ts')) runPackage()
  else require('./newer-node.cjs').onNewerNode(__filename, () => import('../src/cli.ts'))
}

/** Stops this process, as SIGTERM does, once its parent is gone: npx passes a signal on to its shell alone, and the shell ends without this process. */
function endWithShell() {
  const shell = process.ppid
  const watch = setInterval(() => {
    if (process.ppid === shell) return
    clearInterval(watch)
    process.kill(process.pid, 'SIGTERM')
  }, 500)
  watch.unref()
}

function runPackage() {
  const [major, minor] = process.versions.node.split('.').map(Number)
  const [needed, least] = require('../package.json').engines.node.match(/\d+/g).map(Number)
  if (major < needed || (major === needed && minor < least)) {
    console.error(`veridict needs Node.js ${needed}.${least} or newer; this is ${process.version}.`)
    process.exit(1)
  }
  require('./compile-cache.cjs').useCompileCache()
  void import('../dist/cli.js')
}
