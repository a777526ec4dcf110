package process

import (
	"errors"
	"os"
	"os/exec"
	"strconv"
	"sync"
	"unsafe"

	"golang.org/x/sys/windows"
)

// Start starts a program in a Windows job, which also contains all processes that the program
// starts. The returned function kills all processes in the job. They are also killed when this
// process exits.
func Start(cmd *exec.Cmd) (kill func(), err error) {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return nil, err
	}
	var limits windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION
	limits.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
	_, err = windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation, uintptr(unsafe.Pointer(&limits)), uint32(unsafe.Sizeof(limits)))
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return nil, errors.Join(err, windows.CloseHandle(job))
	}
	var inJob error // error of the call below, which adds the program to the job before it can start other processes
	err = cmd.Process.WithHandle(func(handle uintptr) { inJob = windows.AssignProcessToJobObject(job, windows.Handle(handle)) })
	kill = sync.OnceFunc(func() {
		_ = windows.TerminateJobObject(job, 1) // not strictly necessary, because closing the last handle of the job also kills its processes
		_ = windows.CloseHandle(job)
		if err != nil || inJob != nil { // the program is not in the job: it has already exited, or it is in a job that does not allow a second one
			Kill(cmd.Process)
		}
	})
	return kill, nil
}

// Group does nothing, because on Windows Kill needs no preparation.
func Group(*exec.Cmd) {}

// Kill kills a running program and the processes that it has started.
func Kill(p *os.Process) {
	// If taskkill fails, p.Kill at least kills the program itself.
	_ = exec.Command("taskkill", "/T", "/F", "/PID", strconv.Itoa(p.Pid)).Run()
	_ = p.Kill() // an error means that the program has already exited
}
