/// The completion scripts for shells. They ask the program what can follow, so that they know the
/// names of services, saved requests and collections as well as the commands.
public enum ShellCompletion {
  /// A shell with programmable completion.
  public enum Shell: String, Sendable, Hashable, Codable, CaseIterable {
    /// The shell's name.
    case bash, zsh, fish
  }

  /// The first argument with which a script asks the program. The words up to the cursor follow
  /// behind `--`.
  ///
  /// The answer has a line for each word that can stand at the cursor, with a tab and a summary if
  /// there is one.
  package static let request = "--complete"

  /// The line of an answer that stands for the names of files, which the shell knows itself.
  package static let files = "\tfiles"
  /// The line of an answer that stands for the names of folders.
  package static let folders = "\tfolders"

  /// Returns the script for a shell.
  ///
  /// - Parameter program: The program that it completes, with a name that `FeatureList(program:)`
  ///   accepts.
  public static func script(for shell: Shell, program: String = "swiftboard") -> String {
    switch shell {
    case .bash: bash(program)
    case .zsh: zsh(program)
    case .fish: fish(program)
    }
  }

  // Bash splits words at the characters of COMP_WORDBREAKS too, such as '=' and ':'. It replaces
  // only what is behind the last one. If that is '@', which begins the names of hosts, it replaces
  // the '@' as well.
  private static func bash(_ name: String) -> String {
    #"""
    # bash completion for \#(name): source <(\#(name) -o plain completions bash)
    _\#(name)() {
      local rest=${COMP_LINE:0:COMP_POINT} blanks word line prefix= i
      local -a words=()
      for ((i = 0; i <= COMP_CWORD; i++)); do
        blanks=${rest%%[^[:space:]]*}
        rest=${rest#"$blanks"}
        word=${COMP_WORDS[i]}
        if ((i == COMP_CWORD)); then word=$rest; fi
        rest=${rest#"$word"}
        if [[ -z $blanks ]] && ((i > 0)); then
          if ((i == COMP_CWORD)); then prefix=${words[${#words[@]}-1]}; fi
          words[${#words[@]}-1]+=$word
        else
          words+=("$word")
        fi
      done
      if [[ $word =~ ^[=:@]+$ ]]; then prefix+=$word; fi
      if [[ $word != [\"\']* ]] && shopt -q hostcomplete; then prefix=${prefix%@}; fi
      local program=${words[0]/#\~/$HOME} part=$word
      local -a plain=("${words[@]//[\"\'\\]/}")
      prefix=${prefix//[\"\'\\]/}
      COMPREPLY=()
      while IFS= read -r line; do
        case $line in
          $'\tfiles' | $'\tfolders')
            local action=file
            if [[ $line == *folders ]]; then action=directory; fi
            compopt -o filenames 2> /dev/null
            while IFS= read -r word; do COMPREPLY+=("$word"); done < <(
              compgen -A "$action" -- "${plain[${#plain[@]}-1]#"$prefix"}")
            ;;
          *)
            word=${line%%$'\t'*}
            word=${word#"$prefix"}
            if [[ -z $word ]]; then continue; fi
            case $part in
              # What the open quotes do not quote is left out.
              \"*) if [[ $word == *[\"\\\$\`!]* ]]; then continue; fi ;;
              \'*) if [[ $word == *\'* ]]; then continue; fi ;;
              *) printf -v word %q "$word" ;;
            esac
            COMPREPLY+=("$word")
            ;;
        esac
      done < <("$program" --complete -- "${plain[@]:1}" 2> /dev/null)
      if ((${#COMPREPLY[@]} == 1)) && [[ ${COMPREPLY[0]} == *[/=@] ]]; then
        compopt -o nospace 2> /dev/null
      fi
    }
    complete -F _\#(name) \#(name)

    """#
  }

  private static func zsh(_ name: String) -> String {
    #"""
    #compdef \#(name)
    # zsh completion for \#(name): save it as _\#(name) in a folder of $fpath
    _\#(name)() {
      local line word program=${${(Q)words[1]}/#\~/$HOME}
      local -a whole open
      for line in "${(@f)$("$program" --complete -- "${(@Q)words[2,CURRENT-1]}" "${(Q)PREFIX}" 2> /dev/null)}"; do
        case $line in
          '') ;;
          $'\tfiles') _files ;;
          $'\tfolders') _files -/ ;;
          *)
            word=${${line%%$'\t'*}//:/\\:}
            if [[ $line == *$'\t'* ]]; then word+=":${line#*$'\t'}"; fi
            if [[ ${line%%$'\t'*} == *[/=@] ]]; then open+=("$word"); else whole+=("$word"); fi
            ;;
        esac
      done
      if (($#whole)); then _describe -V \#(name) whole; fi
      if (($#open)); then _describe -V \#(name) open -S ''; fi
    }
    if [[ $funcstack[1] == _\#(name) ]]; then _\#(name) "$@"; else compdef _\#(name) \#(name); fi

    """#
  }

  private static func fish(_ name: String) -> String {
    #"""
    # fish completion for \#(name): save it as ~/.config/fish/completions/\#(name).fish
    function __\#(name)_candidates
      set -l words (commandline -opc)
      set -l current (commandline -ct | string replace -ra "[\"'\\\\]" '')
      for line in ($words[1] --complete -- $words[2..-1] "$current" 2>/dev/null)
        switch $line
          case \tfiles
            __fish_complete_path "$current"
          case \tfolders
            __fish_complete_directories "$current" ''
          case '*'
            echo $line
        end
      end
    end
    complete -c \#(name) -f -k -a '(__\#(name)_candidates)'

    """#
  }
}
