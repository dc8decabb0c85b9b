#!/usr/bin/env node
// Runs the command on Node.js 24 or newer: this one, or the one that `npm ci` installed beside it. Plain old JavaScript, so that
// an old Node.js can still say what is missing.
'use strict'
const { join } = require('node:path')

const args = process.argv.slice(2)
if (args.length === 1 && (args[0] === '--version' || args[0] === '-V')) {
  console.log(require('../package.json').version)
} else if (Number(process.versions.node.split('.')[0]) >= 24) {
  require('./compile-cache.cjs').useCompileCache()
  import('../src/cli.ts')
} else {
  startNewer()
}

/** On an old Node.js: a second process, 40 ms, that no old one can do without. */
function startNewer() {
  const { spawn } = require('node:child_process')
  const { existsSync } = require('node:fs')
  const platform = process.platform === 'win32' ? 'win' : process.platform
  const binary = join(__dirname, '..', 'node_modules', `node-${platform}-${process.arch}`, 'bin', platform === 'win' ? 'node.exe' : 'node')
  if (!existsSync(binary)) {
    console.error(`veridict needs Node.js 24 or newer; this is ${process.version}. Install it, or run "npm ci" with development dependencies.`)
    process.exit(1)
  }
  const child = spawn(binary, [__filename, ...args], {
    stdio: 'inherit',
    env: { ...process.env, VERIDICT_LAUNCHER: process.argv[1] },
  })
  for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => child.kill(signal))
  child.on('exit', (code, signal) => process.exit(signal ? 1 : code))
}
