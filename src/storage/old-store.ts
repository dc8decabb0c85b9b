import { refusal, type StorageError } from './storage-error.ts'

/** The last commit of Veridict that exports bodies in an S3 store and further projects. */
const EXPORTER = '93cd84585bdfdcc74d0c9f078c2b02f2285f8990'

/** A row whose bytes lie in an S3 store. */
export const OUTSIDE = `
  SELECT id FROM trajectories WHERE outside_bytes IS NOT NULL
  UNION ALL SELECT id FROM attempts WHERE outside_bytes IS NOT NULL LIMIT 1`

/** Refuses a store of an earlier version, with the steps that carry its grades over. */
export const refuseOld = (store: string): StorageError =>
  refusal(
    `${store}, which this version cannot read. Check out commit ${EXPORTER} of Veridict, run ` +
      '`npm run veridict -- export --all-projects --out FOLDER` there with the settings of the store, then run ' +
      '`veridict import FILE` here with each file of FOLDER and a new database',
  )

export const refuseOutside = (): StorageError => refuseOld('bodies of this database lie in an S3 store')
