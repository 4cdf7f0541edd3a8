using System;
using System.Collections.Generic;

namespace Tabularium.Testing
{
    /// <summary>How to start a server.</summary>
    public sealed class TabulariumOptions
    {
        /// <summary>The program: a binary, or a <c>main.js</c> that Node.js runs. By default it is looked for: see README.md.</summary>
        public string? Program { get; set; }

        /// <summary>More options of <c>tabularium start</c>, such as <c>--seed people.csv</c>.</summary>
        public IReadOnlyList<string> Arguments { get; set; } = Array.Empty<string>();
    }

    /// <summary>The server cannot be started or asked. The message says how to fix that.</summary>
    public sealed class TabulariumException : Exception
    {
        internal TabulariumException(string message, Exception? cause = null) : base(message, cause) { }
    }
}
