import fc from 'fast-check';

/** With PROPERTY_SEED, each property tries the same values in every run: a gate fails for a change, and the nightly run explores. */
fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(process.env['PROPERTY_SEED']) });
