#!/usr/bin/env node
// Runs the service for `npm start`. src/server.ts runs the same service, without the compile cache.
'use strict'
require('./newer-node.cjs').onNewerNode(__filename, () => import('../src/server.ts'))
