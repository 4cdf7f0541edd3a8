/**
 * A PFX file for tests only: a certificate for localhost with its key and the password "secret". Created with
 * `openssl pkcs12 -export`, because Node.js cannot create PFX files.
 */
export const pfxCertificate = Buffer.from(
  'MIIELAIBAzCCA+IGCSqGSIb3DQEHAaCCA9MEggPPMIIDyzCCAoIGCSqGSIb3DQEHBqCCAnMwggJvAgEAMIICaAYJKoZIhvcNAQcBMFcGCSqGSI' +
    'b3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAj9PLMfAscv4gICCAAwDAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEELMlXAJcXBaCMwT+29ywcsqA' +
    'ggIAAodnsBNEYriM8Al40/Jq1WRwP7JZbLsB+eQznGP6tClmMKcs7lK2QoZNNpQdxKmO06gPRQ3J2xbNGgTI2OtPFqWaFC2/PE43FwptYO3h0c' +
    'I/ROF445fb5hrc5Kfi05RNJSzAGaRHxZJLF6zMSs0AzCTQuC2jUINSLPDx4Y/kznxd6HXFdeqkVK0QzKC/YM3KNQ8wHcpcqZfWWMKiu9CpXk/6' +
    '791Pf5S0FM8KrtSP1xJTHYBzxLtVr7il6EUA9sQcGW5JykugBPD38Mpy1VxbvkyH+2EZqSjymHbJa3augEFfOzKA7uMHBnEzyelYwcM4bGzodm' +
    'y7ZVcBK7yd1KMCeLxK/pIdNdkt42IwCZ9WAafStwP2aKlX5ux5CB9cogm+muZO8Kai7lfrbABmUAUmx46GI6cAP9Btin1su5vixP0a4ZfuEt/I' +
    'uywO6Q2ezK2h5c4n5WU6+XH8gF6hDvRRboowCA+pLah0+leEiMJF3qJJq+77S2GviCZqBj5mZq4gQ/ySW2eo3GxXpXwgipatCk3SR2e+QRPzCU' +
    '8YqHCLY7pI+P1EPl64/VYQz0rWl4aN3A9MYXybJERGxWeLwEzT2tzExE/zKneEIxqFpVsVyRj2u0iGJZy0EYjyj5twr+Z6oALFHuK6UJo9WNNB' +
    '7C8ibwNpyvknZZawV4hHRadlfvIwggFBBgkqhkiG9w0BBwGgggEyBIIBLjCCASowggEmBgsqhkiG9w0BDAoBAqCB7zCB7DBXBgkqhkiG9w0BBQ' +
    '0wSjApBgkqhkiG9w0BBQwwHAQID0OgboP3EyYCAggAMAwGCCqGSIb3DQIJBQAwHQYJYIZIAWUDBAEqBBBNaAm/SFVNHl/vGquXPKGMBIGQbysp' +
    'i/kP7nKIsNAnuupxjVUFTe7BbDNPWMLyjYGgtdBxypJK7ypRGpYDiuYDB3EfcpTS6ZCdWfndNHP3fLdGaHojWU13NAZ+56KTStYnnX8Y3cx2fA' +
    'mYw9Z/x9oKltqdymEh2MRpdEBBfFV4ucWenB63us2fMxU3Zj0BdvRiPjjJAV+R5YxGhqf+GMSQYjWsMSUwIwYJKoZIhvcNAQkVMRYEFAsBkCfh' +
    'fHW8ogxNQsMjfTJsmVZ/MEEwMTANBglghkgBZQMEAgEFAAQgHMrWXXU7YNtdUSeO03wlrwZSgvqpJ1CkX5G1IODqewEECKo/IT2DBQLvAgIIAA' +
    '==',
  'base64',
);

/** The same certificate without its key. */
export const pfxWithoutKey = Buffer.from(
  'MIICtwIBAzCCAm0GCSqGSIb3DQEHAaCCAl4EggJaMIICVjCCAlIGCSqGSIb3DQEHBqCCAkMwggI/AgEAMIICOAYJKoZIhvcNAQcBMFcGCSqGSI' +
    'b3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAh05+atxl/FXQICCAAwDAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEEAUXkwr5QYTkEQ/zrqTNRfyA' +
    'ggHQPduA/2DIu5r/pnC1aKD3CwpBWt4+sMBKJ28avRuk2mopbVgAQrPJQcyCSp0/RmfJvdgzSlcq8zdlMjEAkgnJmRBmQ+WEUsBQvpxKWRYbtG' +
    'in6+3tyzexxLJyBtBQRt9NfWm+SfJqBr01LIL4ubkVJ9OKxluncMSzJ9cmzNpUW+2TFGizXLY9XVTioQN/ezvvZpV90S8HVO8s9VadveMFrVae' +
    'v19ILh6s6jY04CTqPCPeS/ajJw9URw3Gh7vOlQgsOvVX+aMNatFh/TO13RXTZmsZ4xjScXeEd/qGPmWztNRtwbyqOSUOlteLMl6hvld22DpFHk' +
    'J/ITjOOGtDGyzKoP8SoD8KgvAp4FEqImmQWIdsWxtNkEUZXetHYaiIgu14zaqdEGnP68xmrYL/3niUmXQIgb28HbloZ+gFVM7b+6RCw7Bb0UwX' +
    '0cZzWArASJexK3xW3b0vgmBQAjeXQpIzZIpEh/F1Tb2WRH5Xezp7WhrqgUGpa/qid6Poyx/YI5IKU2OJUbPbwpnUFXcf6QTOob7LLFFwOMtzZJ' +
    'SIz0PlDcWLZgFGZ7oL4GxXoJDQtF+1Xnt9kKSvHrzVfOEXg+sF/25o50GdWz8e41FOsrgggDswQTAxMA0GCWCGSAFlAwQCAQUABCC9YUo9uQNN' +
    'pSnZbWPD5TeVollKoGZVKn3Oy0OhvnU4IgQIPEXXB/8XVaYCAggA',
  'base64',
);
