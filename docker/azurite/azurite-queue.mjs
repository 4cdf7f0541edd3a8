#!/usr/bin/env node
// The command `azurite-queue`: Azurite's own queue service.
import { runService } from './run-service.mjs';

runService('queue');
