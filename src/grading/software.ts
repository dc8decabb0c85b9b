import manifest from '../../package.json' with { type: 'json' }

export const VERSION: string = manifest.version

/** By what a grade was made, as its receipt names it. */
export const SOFTWARE = `veridict ${VERSION}`
